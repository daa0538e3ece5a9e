import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { CreatedDeployment } from '@berth/contract';
import { createTestClient, OWNER_KEY } from '@berth/testing/requests';
import { tarOf } from '@berth/testing/tar-bytes';
import type { LaunchedProcess } from '@berth/testing/process';
import { expect, it } from 'vitest';
import type { Backend } from './backend.ts';
import { largeArchive } from './large-archive.ts';
import type { TlsClient, TlsResponse } from './tls-client.ts';

/** The address from which clients of a proxy connect. The proxy itself connects to the server from 127.0.0.1. */
export const CLIENT_ADDRESS = '127.0.0.7';
/** How much the memory of a process may grow during an upload and download of any size. */
const MAX_GROWTH_MEBIBYTES = 256;
/** A busy machine takes long for a gibibyte. */
const LARGE_UPLOAD_TIMEOUT_MS = 300_000;
const AUTHORIZED = { Authorization: `Bearer ${OWNER_KEY}` };
const TAR = { ...AUTHORIZED, 'Content-Type': 'application/x-tar' };

/** A server behind a proxy that terminates TLS. */
export interface Proxied {
  backend: Backend;
  proxy: LaunchedProcess;
  client: TlsClient;
  httpPort: number;
}

/** Publishes a page through the proxy. */
export async function publish({ client, backend }: Proxied, text: string): Promise<CreatedDeployment> {
  const request = { method: 'POST', headers: TAR, body: tarOf({ 'index.html': text }) };
  const response = await client.fetch(`${backend.api}/deployments`, request);
  expect(response.status, response.text).toBe(201);
  return JSON.parse(response.text) as CreatedDeployment;
}

/** Sends an authorized request with JSON through the proxy, and returns the response of the API. */
export async function callApi<T>(
  { client, backend }: Proxied,
  method: string,
  path: string,
  json?: object,
): Promise<T> {
  const { text } = await client.fetch(backend.api + path, {
    method,
    headers: { ...AUTHORIZED, 'Content-Type': 'application/json' },
    ...(json && { body: JSON.stringify(json) }),
  });
  return JSON.parse(text) as T;
}

/** Makes a custom domain show a deployment. Its records are published only before its verification. */
export async function verifyCustomDomain(proxied: Proxied, name: string): Promise<void> {
  const { records } = await callApi<{ records: { value: string }[] }>(proxied, 'GET', `/domains/${name}/records`);
  proxied.backend.dns.zone.set(name, { CNAME: records[0]!.value });
  expect(await callApi(proxied, 'POST', `/domains/${name}/verify`, {})).toMatchObject({ status: 'success' });
}

/** Tests what every proxy must do. @param uploadMebibytes The size of a large upload. */
export function testProxy(proxied: () => Proxied, uploadMebibytes: number): void {
  it('serves the API and a deployment over HTTP/2', async () => {
    const { client, backend } = proxied();
    const { url, deployment } = await publish(proxied(), 'front');
    expect(url).toBe(`https://${deployment}.${backend.platformDomain}`);
    expect(await client.fetch(url)).toMatchObject({ status: 200, text: 'front' });
    expect((await client.fetch(`${backend.api}/deployments`, { headers: AUTHORIZED })).status).toBe(200);
  });

  it('redirects from http to https', async () => {
    const { visit } = createTestClient(proxied().httpPort);
    const { status, headers } = await visit('http://localhost', '/docs?page=1');
    expect({ status, location: headers['location'] }).toEqual({
      status: 308,
      location: 'https://localhost/docs?page=1',
    });
  });

  it('passes on the host and the path unchanged', async () => {
    const { client, backend } = proxied();
    const { url } = await publish(proxied(), 'front');
    const { headers } = await client.fetch(`${url}/a%2Fb//c%20d?x=%26`);
    const { host, path } = await backend.accessLine(headers);
    expect({ host, path }).toEqual({ host: new URL(url).host, path: '/a%2Fb//c%20d' });
  });

  it('T12: passes on the address of the client, also if the client sends a forged X-Forwarded-For', async () => {
    const { client, backend } = proxied();
    for (const headers of [{}, { 'X-Forwarded-For': '203.0.113.9' }] as Record<string, string>[]) {
      const response = await client.fetch(`${backend.api}/ping`, { headers });
      expect(await backend.accessLine(response.headers)).toMatchObject({ address: CLIENT_ADDRESS });
    }
  });

  it('passes on each activity at once while the event stream is open', async () => {
    const { client, backend } = proxied();
    const headers = { ...AUTHORIZED, Accept: 'text/event-stream' };
    const { status, body } = await client.open(`${backend.api}/activities`, { headers });
    expect(status).toBe(200);
    let received = '';
    body.setEncoding('utf8').on('data', (text: string) => (received += text));
    await expect.poll(() => received).toContain('retry:');
    for (const text of ['one', 'two', 'three']) {
      const { deployment } = await publish(proxied(), text);
      await expect.poll(() => received).toContain(deployment);
    }
    body.destroy();
  });

  it('passes on the refusal of an upload of 16 MiB', async () => {
    const { client, backend } = proxied();
    const headers = { ...TAR, Authorization: `Bearer ship-${'ab12'.repeat(8)}` };
    const body = largeArchive(16).stream;
    const { status } = await client.fetch(`${backend.api}/deployments`, { method: 'POST', headers, body });
    expect(status).toBe(401);
  });

  it(
    `passes on an upload of ${uploadMebibytes} MiB and its download without keeping them in memory`,
    { timeout: LARGE_UPLOAD_TIMEOUT_MS },
    async () => {
      const { client, backend, proxy } = proxied();
      const peaksBefore = await Promise.all([backend.server, proxy].map(memoryPeak));
      const { stream, sha256 } = largeArchive(uploadMebibytes);
      const upload = await client.fetch(`${backend.api}/deployments`, { method: 'POST', headers: TAR, body: stream });
      expect(upload.status, upload.text).toBe(201);
      const { url } = JSON.parse(upload.text) as CreatedDeployment;
      const download = await client.open(`${url}/large.bin`);
      expect(download.headers['content-length']).toBe(String(uploadMebibytes * 1024 ** 2));
      expect(await hashOf(download)).toBe(sha256());
      const peaksAfter = await Promise.all([backend.server, proxy].map(memoryPeak));
      for (const [index, before] of peaksBefore.entries())
        expect(peaksAfter[index]! - before).toBeLessThan(MAX_GROWTH_MEBIBYTES);
    },
  );
}

async function hashOf({ body }: TlsResponse): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of body) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Returns the highest memory use of a process since its start, in MiB. */
async function memoryPeak({ child }: LaunchedProcess): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) / 1024;
}
