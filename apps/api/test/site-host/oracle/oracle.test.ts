import { stop } from '@berth/testing/raw-socket';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostOf, memoryPacks, PUBLIC, publicSite, type RunningHost, runSiteHost } from '../running-host.ts';
import { type Connection, openConnection, type Received } from './connection.ts';
import { MISSING, packSamples } from './files.ts';
import { predict } from './prediction.ts';
import { fieldsOf, requests } from './request.ts';

const ANONYMOUS = 'calm-otter-anonym1';
const HOSTS = { deployment: hostOf(PUBLIC), domain: 'www.example.org', anonymous: hostOf(ANONYMOUS) };
/** Kinds of answers that must occur among so many requests. */
const KINDS = ['200', '200 br', '200 gzip', '200 zstd', '206', '304', '404', '412', '416'];

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
  const site = publicSite(manifest);
  host.sites.set(PUBLIC, site).set(HOSTS.domain, site);
  host.sites.set(ANONYMOUS, { ...site, deployment: ANONYMOUS, anonymous: true, manifest: withoutPage });
  host.server.on('connection', () => (connections += 1));
  connection = openConnection(host.port);
  for (const target of [...MISSING, '/404.html'])
    ownPages.set(target, await connection.ask('GET', HOSTS.anonymous, target, {}));
});
afterAll(async () => {
  connection.close();
  await stop(host.server);
});

describe('any request for a file', () => {
  it('is answered as the oracle predicts: status, every header, every byte (S40, S41, S44 to S50, S52 to S57)', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const { method, visitor, target } = request;
        const fields = fieldsOf(request);
        const { body, ...answer } = await connection.ask(method, HOSTS[visitor], target, fields);
        const { body: expectedBody, ...expected } = predict(request, ownPages);
        seen.add(`${answer.status} ${answer.headers['content-encoding'] ?? ''}`.trim());
        const question = { visitor, asked: `${method} ${target}`, fields };
        expect({ ...question, ...answer }).toEqual({ ...question, ...expected });
        expect(body.equals(expectedBody), 'the bytes are the ones that were published').toBe(true);
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
});
