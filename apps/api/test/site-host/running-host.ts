import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { PackStore } from '@berth/core';
import type {
  LiveSites,
  SiteAddress,
  SiteLookup,
  UnlockAttempt,
  UnlockOutcome,
  WithheldReason,
} from '@berth/core/sites';
import { type Manifest, NO_RULES, type Site } from '@berth/serving';
import type { ContentLocation } from '@berth/testing/internals';
import { MapManifest } from '@berth/testing/map-manifest';
import { listen, rawRequest } from '@berth/testing/raw-socket';
import { createHttpServer } from '../../src/http/server.ts';
import { ServicePages } from '../../src/site-host/pages.ts';
import { PasswordProtection } from '../../src/site-host/password-protection.ts';
import { createSiteHost } from '../../src/site-host/site-host.ts';
import { createHostMatcher } from '../../src/routing/host-matcher.ts';

const CHUNK_BYTES = 64 * 1024;
const PLATFORM_DOMAIN = 'sites.example';

export const SITE_ID = 'calm-otter-public1';

export const hostOf = (deployment: string) => `${deployment}.${PLATFORM_DOMAIN}`;

export const publicSite = (manifest: Manifest): Site => ({
  deployment: SITE_ID,
  passwordVersion: null,
  anonymous: false,
  manifest,
  rules: NO_RULES,
});

export type RunningHost = Awaited<ReturnType<typeof runSiteHost>>;

export async function runSiteHost(packs: PackStore) {
  /** The existing sites, by deployment or domain. Tests change this map. */
  const sites = new Map<string, Site | WithheldReason>();
  const liveSites: LiveSites = {
    peek: (address: SiteAddress) => sites.get('domain' in address ? address.domain : address.deployment),
    find: async (address) => liveSites.peek(address) ?? null,
    findFresh: (address) => liveSites.find(address),
  };
  /** Checks the passwords. Tests replace `unlock`. */
  const lock: { unlock(attempt: UnlockAttempt): Promise<UnlockOutcome> } = { unlock: async () => ({ kind: 'wrong' }) };
  const loggedEntries: { level: 'info' | 'warn' | 'error'; err?: unknown }[] = [];
  const record = (level: 'info' | 'warn' | 'error') => (fields: object) =>
    void loggedEntries.push({ level, ...fields });
  const log = { info: record('info'), warn: record('warn'), error: record('error') };
  const addressOf = () => '192.0.2.1';
  const pages = new ServicePages(null);
  const protection = new PasswordProtection({
    key: randomBytes(32),
    now: () => new Date(),
    cookies: { publicScheme: 'https', allowInsecure: false },
    addressOf,
    unlock: (attempt) => lock.unlock(attempt),
    pages,
    log,
  });
  const siteHost = createSiteHost({
    sites: liveSites,
    protection,
    pages,
    packs,
    platformHost: PLATFORM_DOMAIN,
    addressOf,
    log,
  });
  const hosts = createHostMatcher({ apiHosts: new Set<string>(), platformDomain: PLATFORM_DOMAIN });
  const server = createHttpServer(
    (req, res) => {
      const match = hosts.match({ method: req.method!, target: req.url!, rawHeaders: req.rawHeaders });
      if (match.kind === 'site') return siteHost.visit(req, res, match);
      throw new Error(`the test requested a host that is ${match.kind}`);
    },
    {
      log,
      plainHandler: () => ({
        answer(request) {
          const match = hosts.matchSite(request.host, request.target);
          return match && siteHost.plain.answer(request, match);
        },
      }),
    },
  );
  const port = await listen(server);
  return {
    server,
    port,
    sites,
    live: liveSites,
    lock,
    logged: loggedEntries,
    /** Replaces the lookup of sites, and removes all sites from memory. */
    setFind(find: () => Promise<SiteLookup>, findFresh = find) {
      Object.assign(liveSites, { peek: () => undefined, find, findFresh });
    },
    get: (target: string, headers: string[] = [], { method = 'GET', host = hostOf(SITE_ID), body = '' } = {}) =>
      rawRequest(port, `${method} ${target} HTTP/1.1`, [`Host: ${host}`, ...headers], body),
  };
}

/** Creates a store of packs in memory. Tests may change the bytes, and read the number of open streams. */
export function memoryPacks() {
  const contents = new Map<string, Buffer>();
  let streams = 0;

  function bytesOf(pack: string): Buffer {
    const bytes = contents.get(pack);
    if (!bytes) throw Object.assign(new Error(`no pack ${pack}`), { code: 'ENOENT', syscall: 'open' });
    return bytes;
  }

  async function* chunks(pack: string, start: number, end: number): AsyncGenerator<Buffer> {
    streams += 1;
    try {
      for (let offset = start; offset < end; offset += CHUNK_BYTES) {
        const chunk = bytesOf(pack).subarray(offset, Math.min(offset + CHUNK_BYTES, end));
        if (chunk.length === 0) throw new Error('the pack is too short');
        yield chunk;
        await new Promise(setImmediate);
      }
    } finally {
      streams -= 1;
    }
  }

  const packs = {
    contents,
    openStreams: () => streams,
    create: async (pack: string) => ({
      write: async (bytes: Uint8Array) => void contents.set(pack, Buffer.from(bytes)),
      seal: async () => {},
    }),
    stream: ({ pack, offset, length }: ContentLocation) =>
      Readable.from(chunks(pack, offset, offset + length), { objectMode: false }),
    read: async ({ pack, offset, length }: ContentLocation) => bytesOf(pack).subarray(offset, offset + length),
  };
  return packs as typeof packs & PackStore;
}

/** Writes files into a new pack of a store. @returns The manifest of the files. */
export async function packAll(
  packs: PackStore,
  id: string,
  files: Record<string, string | Buffer>,
): Promise<MapManifest> {
  const manifest = new MapManifest();
  const contents = Object.values(files).map((content) => Buffer.from(content as string));
  let offset = 0;
  for (const [index, path] of Object.keys(files).entries()) {
    const { length } = contents[index]!;
    const sha256 = createHash('sha256').update(contents[index]!).digest('hex');
    manifest.set(path, { pack: id, offset, length, sha256 });
    offset += length;
  }
  const file = await packs.create(id);
  await file.write(Buffer.concat(contents), 0);
  await file.seal(offset);
  return manifest;
}
