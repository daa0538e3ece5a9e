import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';

const SCRIPT = join(import.meta.dirname, '../src/healthcheck.ts');

async function runHealthcheck(env: Record<string, string>): Promise<{ code: number; reason: string }> {
  const child = spawn(process.execPath, [SCRIPT], { env, stdio: ['ignore', 'inherit', 'pipe'] });
  const [reason, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code: code as number, reason };
}

/** Runs the health check against a server with the given request listener. */
async function checkListener(listener: RequestListener): Promise<{ code: number; reason: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    return await runHealthcheck({ HOST: '127.0.0.1', PORT: String(port), BASE_URL: 'https://api.example.com' });
  } finally {
    server.close();
  }
}

describe('the health check', () => {
  it('exits with 0 when GET /healthz of the API host returns 200', async () => {
    const requests: string[] = [];
    const { code, reason } = await checkListener((req, res) => {
      requests.push(`${req.method} ${req.headers.host}${req.url}`);
      res.end();
    });
    expect({ code, reason, requests }).toEqual({ code: 0, reason: '', requests: ['GET api.example.com/healthz'] });
  });

  it('exits with 1 and a reason for any other status', async () => {
    const result = await checkListener((_req, res) => void res.writeHead(503).end());
    expect(result).toEqual({ code: 1, reason: '/healthz responded with 503; a healthy server responds with 200.\n' });
  });

  it('exits with 1 when no server listens, or when the configuration is invalid', async () => {
    expect(await runHealthcheck({ HOST: '127.0.0.1', PORT: '1' })).toMatchObject({
      code: 1,
      reason: expect.stringContaining('ECONNREFUSED'),
    });
    expect(await runHealthcheck({ PORT: 'x' })).toMatchObject({
      code: 1,
      reason: expect.stringMatching(/^PORT: "x" is not a port/),
    });
  });
});
