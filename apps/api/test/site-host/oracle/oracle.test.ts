import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type Coding, NO_RULES, type Site } from '@berth/serving';
import { stop } from '@berth/testing/raw-socket';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryPacks } from '../memory-packs.ts';
import { ANONYMOUS, hostOf, PUBLIC, type RunningHost, runSiteHost } from '../running-host.ts';
import { type Connection, openConnection, type Received } from './connection.ts';
import { FILES, MISSING, packSamples } from './files.ts';
import { type Prediction, predict } from './prediction.ts';
import { fieldsOf, requests, type SampleRequest } from './request.ts';

const DOMAIN = 'www.example.org';
const HOSTS: Record<SampleRequest['visitor'], string> = {
  deployment: hostOf(PUBLIC),
  domain: DOMAIN,
  anonymous: hostOf(ANONYMOUS),
};
/** Kinds of answers that must occur among so many requests. */
const KINDS = [
  '200 br',
  '200 gzip',
  '200 identity',
  '200 zstd',
  '206 identity',
  '304 identity',
  '404 identity',
  '412 identity',
  '416 identity',
];
const DECOMPRESS: Record<Coding, (bytes: Buffer) => Buffer> = {
  br: (bytes) => brotliDecompressSync(bytes),
  zstd: (bytes) => zstdDecompressSync(bytes),
  gzip: (bytes) => gunzipSync(bytes),
};

let host: RunningHost;
let connection: Connection;
let connections = 0;
/** The service's own page for missing paths, by target. */
const ownPages = new Map<string, Received>();

beforeAll(async () => {
  const packs = memoryPacks();
  const manifest = await packSamples(packs);
  const withoutPage = new Map([...manifest].filter(([path]) => path !== '404.html'));
  host = await runSiteHost(packs);
  const site: Site = { deployment: PUBLIC, passwordVersion: null, anonymous: false, manifest, rules: NO_RULES };
  host.sites.set(PUBLIC, site).set(DOMAIN, site);
  host.sites.set(ANONYMOUS, { ...site, deployment: ANONYMOUS, anonymous: true, manifest: withoutPage });
  host.server.on('connection', () => (connections += 1));
  connection = openConnection(host.port);
  for (const target of [...MISSING, '/404.html'])
    ownPages.set(target, await connection.ask('GET', hostOf(ANONYMOUS), target, {}));
});
afterAll(async () => {
  connection.close();
  await stop(host.server);
});

/** Predicts an answer. For a page of the service, it is the answer to a plain request for the page. */
function expectedOf(request: SampleRequest): Required<Received> {
  const { status, headers, body }: Prediction = predict(request);
  if (headers !== null) return { status, headers, body: body! };
  const ownPage = ownPages.get(request.target)!;
  return { ...ownPage, body: body ?? ownPage.body };
}

describe('any request for a file', () => {
  it('is answered as the oracle predicts: status, every header, every byte (S40, S41, S44 to S50, S53, S55 to S57)', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const fields = fieldsOf(request);
        const answer = await connection.ask(request.method, HOSTS[request.visitor], request.target, fields);
        const expected = expectedOf(request);
        seen.add(`${answer.status} ${answer.headers['content-encoding'] ?? 'identity'}`);
        const question = { visitor: request.visitor, asked: `${request.method} ${request.target}`, fields };
        expect({ ...question, status: answer.status, headers: answer.headers }).toEqual({
          ...question,
          status: expected.status,
          headers: expected.headers,
        });
        expect(answer.body.equals(expected.body), 'the bytes are the ones that were published').toBe(true);
      }),
      { numRuns: 3000 },
    );
    expect([...seen].toSorted()).toEqual(KINDS);
    expect(connections).toBe(1);
    expect(host.logged).toEqual([]);
  });

  it('that is missing gets a page of the service, which is not cached (S39, S40)', () => {
    for (const { status, headers } of ownPages.values()) {
      expect(status).toBe(404);
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' });
      for (const name of ['etag', 'accept-ranges', 'content-range', 'content-encoding', 'vary'])
        expect(headers).not.toHaveProperty(name);
    }
  });

  it('in any coding gets the bytes that were published (S48, S49)', async () => {
    for (const [path, { bytes, forms, compressible }] of Object.entries(FILES)) {
      if (!compressible) continue;
      for (const coding of Object.keys(forms) as Coding[]) {
        const answer = await connection.ask('GET', hostOf(PUBLIC), `/${path}`, { 'Accept-Encoding': coding });
        expect(answer.headers).toMatchObject({ 'content-encoding': coding, vary: 'Accept-Encoding' });
        expect(DECOMPRESS[coding](answer.body).equals(bytes), `${path} in ${coding}`).toBe(true);
      }
    }
  });
});
