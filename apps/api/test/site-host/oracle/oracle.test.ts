import { MapManifest } from '@berth/testing/map-manifest';
import { stop } from '@berth/testing/raw-socket';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostOf, memoryPacks, publicSite, type RunningHost, runSiteHost, SITE_ID } from '../running-host.ts';
import { type Connection, openConnection, type ReceivedResponse } from './connection.ts';
import { MISSING_PATHS, packSamples } from './files.ts';
import { predict } from './prediction.ts';
import { fieldsOf, requests } from './request.ts';

const ANONYMOUS_ID = 'calm-otter-anonym1';
const HOSTS = { deployment: hostOf(SITE_ID), domain: 'www.example.org', anonymous: hostOf(ANONYMOUS_ID) };
/** Kinds of responses that must occur among so many requests. */
const EXPECTED_KINDS = ['200', '200 br', '200 gzip', '200 zstd', '206', '304', '404', '412', '416'];

let host: RunningHost;
let connection: Connection;
let connections = 0;
/** The page of the service for each missing path. */
const ownPages = new Map<string, ReceivedResponse>();

beforeAll(async () => {
  const packs = memoryPacks();
  const manifest = await packSamples(packs);
  const withoutPage = new MapManifest([...manifest].filter(([path]) => path !== '404.html'));
  host = await runSiteHost(packs);
  const site = publicSite(manifest);
  host.sites.set(SITE_ID, site).set(HOSTS.domain, site);
  host.sites.set(ANONYMOUS_ID, { ...site, deployment: ANONYMOUS_ID, anonymous: true, manifest: withoutPage });
  host.server.on('connection', () => (connections += 1));
  connection = openConnection(host.port);
  for (const target of [...MISSING_PATHS, '/404.html'])
    ownPages.set(target, await connection.send('GET', HOSTS.anonymous, target, {}));
});
afterAll(async () => {
  connection.close();
  await stop(host.server);
});

describe('a request for a file', () => {
  it('gets the status, headers and bytes that the oracle predicts (S40, S41, S44 to S50, S52 to S57)', async () => {
    const seenKinds = new Set<string>();
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const { method, visitor, target } = request;
        const fields = fieldsOf(request);
        const { body, ...response } = await connection.send(method, HOSTS[visitor], target, fields);
        const { body: expectedBody, ...expected } = predict(request, ownPages);
        seenKinds.add(`${response.status} ${response.headers['content-encoding'] ?? ''}`.trim());
        const context = { visitor, asked: `${method} ${target}`, fields };
        expect({ ...context, ...response }).toEqual({ ...context, ...expected });
        expect(body.equals(expectedBody), 'the bytes equal the published bytes').toBe(true);
      }),
      { numRuns: 3000 },
    );
    expect([...seenKinds].toSorted()).toEqual(EXPECTED_KINDS);
    expect(connections).toBe(1);
    expect(host.logged).toEqual([]);
  });

  it('that is missing gets a page of the service, which is not cached (S39, S40)', () => {
    for (const { status, headers } of ownPages.values()) {
      expect(status).toBe(404);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-robots-tag': 'noindex',
        vary: 'Accept-Language',
      });
      for (const name of ['etag', 'accept-ranges', 'content-range', 'content-encoding'])
        expect(headers).not.toHaveProperty(name);
    }
  });
});
