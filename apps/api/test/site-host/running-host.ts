import type { Server } from 'node:http';
import type { LiveSites, PackStore, Site } from '@berth/core';
import { createHttpServer } from '../../src/http/server.ts';
import { createSiteHost } from '../../src/site-host/site-host.ts';
import { whichHost } from '../../src/which-host.ts';
import { ask, listen, type RawAnswer } from '../http/raw-socket.ts';
import { memoryPacks, type MemoryPacks, pack } from './memory-packs.ts';

/** What every file of the sample site holds that must not leak. */
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
export const ANONYMOUS = 'calm-otter-nobody1';
export const LOCKED = 'calm-otter-locked1';

const PLATFORM_DOMAIN = 'sites.example';

/** The host of a deployment. */
export const hostOf = (deployment: string) => `${deployment}.${PLATFORM_DOMAIN}`;

interface Asked {
  method?: string;
  /** Default: the public site's. */
  host?: string;
}

/** The wildcard host on a real server. */
export interface RunningHost {
  server: Server;
  port: number;
  /** The sites there are; tests change it. */
  sites: Map<string, Site>;
  /** Finds them; tests replace it. */
  live: LiveSites;
  /** What was logged, by level. */
  logged: { level: 'info' | 'warn' | 'error'; err?: unknown }[];
  /** How often the places of a site were asked for anew. */
  freshReads(): number;
  get(target: string, headers?: string[], asked?: Asked): Promise<RawAnswer>;
}

export async function runSiteHost(packs: PackStore): Promise<RunningHost> {
  const sites = new Map<string, Site>();
  const logged: RunningHost['logged'] = [];
  let freshReads = 0;
  const record = (level: 'info' | 'warn' | 'error') => (fields: object) => void logged.push({ level, ...fields });
  const log = { info: record('info'), warn: record('warn'), error: record('error') };
  const live: LiveSites = { find: async (deployment) => sites.get(deployment) ?? null };
  const counting: LiveSites = {
    find(deployment, options) {
      if (options?.fresh) freshReads += 1;
      return live.find(deployment, options);
    },
  };
  const visit = createSiteHost({ sites: counting, packs, log });
  const names = { apiHosts: new Set<string>(), platformDomain: PLATFORM_DOMAIN };
  const server = createHttpServer(
    (req, res) => {
      const answer = whichHost({ method: req.method!, target: req.url!, rawHeaders: req.rawHeaders }, names);
      if (answer.kind === 'site') return visit(req, res, answer);
      if (answer.kind === 'unknown') return visit(req, res, { ...answer, deployment: null });
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
    logged,
    freshReads: () => freshReads,
    get: (target, headers = [], { method = 'GET', host = hostOf(PUBLIC) } = {}) =>
      ask(port, `${method} ${target} HTTP/1.1`, [`Host: ${host}`, ...headers]),
  };
}

/** A running host with the three sample sites. */
export async function runSampleSites(): Promise<RunningHost & { packs: MemoryPacks; site: Site }> {
  const packs = memoryPacks();
  const manifest = await pack(packs, 'first', FILES);
  const site: Site = { deployment: PUBLIC, locked: false, anonymous: false, manifest };
  const host = await runSiteHost(packs);
  host.sites.set(PUBLIC, site);
  host.sites.set(ANONYMOUS, { ...site, deployment: ANONYMOUS, anonymous: true });
  host.sites.set(LOCKED, { ...site, deployment: LOCKED, locked: true });
  return { ...host, packs, site };
}

/** An answer without what differs from one request to the next. */
export function comparable({ status, names, headers, body }: RawAnswer): RawAnswer {
  return { status, names, headers: { ...headers, date: '', 'x-request-id': '' }, body };
}
