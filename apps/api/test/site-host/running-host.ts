import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { PackStore } from '@berth/core';
import type { LiveSites, SiteLookup, UnlockAttempt, UnlockOutcome, WithheldReason } from '@berth/core/sites';
import { NO_RULES, type Site } from '@berth/serving';
import { ask, listen, type RawAnswer } from '@berth/testing/raw-socket';
import { createHttpServer } from '../../src/http/server.ts';
import { PasswordProtection } from '../../src/site-host/password-protection.ts';
import { createSiteHost } from '../../src/site-host/site-host.ts';
import { createHostMatcher } from '../../src/routing/host-matcher.ts';
import { memoryPacks, type MemoryPacks, pack } from './memory-packs.ts';

/** A text in every file of the sample site, which must not leak. */
export const MARKER = 'the bytes of the site';

export const FILES = {
  'index.html': `<h1>${MARKER}</h1>`,
  'about.html': `about: ${MARKER}`,
  'docs/index.html': `docs: ${MARKER}`,
  'docs/404.html': `no such doc: ${MARKER}`,
  'app.4f3a9b21.js': `app: ${MARKER}`,
  'data.json': `"${MARKER}"`,
  'photo.png': MARKER,
  'empty.txt': '',
  'ship.json': '{}',
  '.secret': MARKER,
  '.well-known/acme-challenge/token': MARKER,
  '.well-known/security.txt': MARKER,
};

/** The deployments of the sample sites. They consist of the same files. */
export const PUBLIC = 'calm-otter-public1';
export const ANONYMOUS = 'calm-otter-anonym1';
export const LOCKED = 'calm-otter-locked1';

const PLATFORM_DOMAIN = 'sites.example';

/** The host of a deployment. */
export const hostOf = (deployment: string) => `${deployment}.${PLATFORM_DOMAIN}`;

interface Asked {
  method?: string;
  /** Default: that of the public site. */
  host?: string;
}

/** The site host on a real server. */
export interface RunningHost {
  server: Server;
  port: number;
  /** The existing sites, by deployment or domain; tests change it. */
  sites: Map<string, Site | WithheldReason>;
  /** Finds the sites; all are in memory. Tests replace it. */
  live: LiveSites;
  /** Checks passwords; tests replace it. By default every password is wrong. */
  lock: { unlock(attempt: UnlockAttempt): Promise<UnlockOutcome> };
  /** Everything that was logged. */
  logged: { level: 'info' | 'warn' | 'error'; err?: unknown }[];
  /** Makes sites be found with `find`, with none in memory. */
  setFind(find: () => Promise<SiteLookup>, findFresh?: () => Promise<SiteLookup>): void;
  /** How many times the places of a site were read again. */
  freshReads(): number;
  get(target: string, headers?: string[], asked?: Asked): Promise<RawAnswer>;
}

export async function runSiteHost(packs: PackStore): Promise<RunningHost> {
  const sites: RunningHost['sites'] = new Map();
  const lock: RunningHost['lock'] = { unlock: async () => ({ kind: 'wrong' }) };
  const logged: RunningHost['logged'] = [];
  let freshReads = 0;
  const record = (level: 'info' | 'warn' | 'error') => (fields: object) => void logged.push({ level, ...fields });
  const log = { info: record('info'), warn: record('warn'), error: record('error') };
  const live: LiveSites = {
    peek: (address) => sites.get('domain' in address ? address.domain : address.deployment),
    find: async (address) => live.peek(address) ?? null,
    findFresh: (address) => live.find(address),
  };
  const counting: LiveSites = {
    peek: (address) => live.peek(address),
    find: (address) => live.find(address),
    findFresh(address) {
      freshReads += 1;
      return live.findFresh(address);
    },
  };
  const protection = new PasswordProtection({
    key: randomBytes(32),
    now: () => new Date(),
    cookies: { publicScheme: 'https', allowInsecure: false },
    addressOf: () => '192.0.2.1',
    unlock: (attempt) => lock.unlock(attempt),
    log,
  });
  const visit = createSiteHost({ sites: counting, protection, packs, platformHost: PLATFORM_DOMAIN, log });
  const matchHost = createHostMatcher({ apiHosts: new Set<string>(), platformDomain: PLATFORM_DOMAIN });
  const server = createHttpServer(
    (req, res) => {
      const answer = matchHost({ method: req.method!, target: req.url!, rawHeaders: req.rawHeaders });
      if (answer.kind === 'site') return visit(req, res, answer);
      if (answer.kind === 'unknown') return visit(req, res, { ...answer, address: null });
      throw new Error(`the test asked for a host that is ${answer.kind}`);
    },
    { log },
  );
  const port = await listen(server);
  return {
    server,
    port,
    sites,
    live,
    lock,
    logged,
    setFind(find, findFresh = find) {
      Object.assign(live, { peek: () => undefined, find, findFresh });
    },
    freshReads: () => freshReads,
    get: (target, headers = [], { method = 'GET', host = hostOf(PUBLIC) } = {}) =>
      ask(port, `${method} ${target} HTTP/1.1`, [`Host: ${host}`, ...headers]),
  };
}

/** A running host with the three sample sites. */
export async function runSampleSites(): Promise<RunningHost & { packs: MemoryPacks; site: Site }> {
  const packs = memoryPacks();
  const manifest = await pack(packs, 'first', FILES);
  const site: Site = { deployment: PUBLIC, passwordVersion: null, anonymous: false, manifest, rules: NO_RULES };
  const host = await runSiteHost(packs);
  host.sites.set(PUBLIC, site);
  host.sites.set(ANONYMOUS, { ...site, deployment: ANONYMOUS, anonymous: true });
  host.sites.set(LOCKED, { ...site, deployment: LOCKED, passwordVersion: 'first' });
  return { ...host, packs, site };
}

/** An answer without the parts that differ between requests. */
export function comparable({ status, names, headers, body }: RawAnswer): RawAnswer {
  return { status, names, headers: { ...headers, date: '', 'x-request-id': '' }, body };
}
