import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CADDY_FOLDER, hasCaddy } from './caddy.ts';

const run = promisify(execFile);
const snippets = await readdir(join(CADDY_FOLDER, 'tls'));
const issuers = snippets.map((file) => file.replace('.caddy', ''));
const dnsIssuers = issuers.filter((issuer) => issuer !== 'internal' && issuer !== 'on-demand');
/** How long Berth keeps the idle connections of a trusted proxy, in nanoseconds. */
const BERTH_KEEP_ALIVE = 75e9;
const ENV = { BASE_URL: 'https://api.example.com', PLATFORM_DOMAIN: 'sites.example.net', RFC2136_SERVER: '192.0.2.53' };

/** The parts of Caddy's JSON that the tests check. */
interface CaddyConfig {
  apps: {
    http: { servers: { srv0: Record<string, unknown> } };
    tls: { automation: { policies: object[]; on_demand: object } };
  };
}

describe.skipIf(!hasCaddy && !process.env['CI'])('the Caddyfile', () => {
  let folder: string;
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'berth-caddyfile-'))));
  afterAll(() => rm(folder, { recursive: true }));

  async function caddy(parameters: string[], env: Record<string, string> = {}): Promise<{ out: string; log: string }> {
    const home = { PATH: process.env['PATH']!, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    const { stdout, stderr } = await run('caddy', parameters, { env: { ...home, ...ENV, ...env } });
    return { out: stdout, log: stderr };
  }
  const adapt = async (file: string, issuer: string) => {
    const { out, log } = await caddy(['adapt', '--config', file], { TLS_ISSUER: issuer });
    return { config: JSON.parse(out) as CaddyConfig, log };
  };
  const caddyfile = join(CADDY_FOLDER, 'Caddyfile');

  it.each(['internal', 'on-demand'])('is valid with the issuer %s, without a warning', async (issuer) => {
    const { out, log } = await caddy(['validate', '--config', caddyfile], { TLS_ISSUER: issuer });
    expect(out).toBe('Valid configuration\n');
    expect(log).not.toMatch(/"level":"(?:warn|error)"/);
  });

  it.each(dnsIssuers)('needs a module of the Dockerfile for the issuer %s', async (issuer) => {
    await expect(adapt(caddyfile, issuer)).rejects.toThrow(`module not registered: dns.providers.${issuer}`);
    const dockerfile = await readFile(join(CADDY_FOLDER, 'Dockerfile'), 'utf8');
    expect(dockerfile).toMatch(new RegExp(`--with github\\.com/caddy-dns/${issuer}@v\\d+\\.\\d+\\.\\d+`));
  });

  it.each(dnsIssuers)('gets one certificate for its own names, and others on demand, with %s', async (issuer) => {
    const copy = join(folder, issuer);
    await cp(CADDY_FOLDER, copy, { recursive: true });
    // The Caddy of Debian has no modules for DNS. Without the block `dns`, it can read the file.
    const snippet = join(copy, 'tls', `${issuer}.caddy`);
    const text = await readFile(snippet, 'utf8');
    const withoutDns = text.replace(/\t\tdns \w+ \{\n.*?\n\t\t\}\n|\t\tdns [^\n]*\n/s, '\t\tprotocols tls1.2 tls1.3\n');
    expect(withoutDns).not.toContain('dns ');
    await writeFile(snippet, withoutDns);
    const { config, log } = await adapt(join(copy, 'Caddyfile'), issuer);
    expect(log).not.toContain('"level":"warn"');
    const { policies } = config.apps.tls.automation;
    expect(policies).toEqual([{ subjects: ['*.sites.example.net', 'api.example.com'] }, { on_demand: true }]);
  });

  it('is formatted as Caddy formats it', async () => {
    for (const file of ['Caddyfile', ...snippets.map((name) => `tls/${name}`)]) {
      const path = join(CADDY_FOLDER, file);
      expect((await caddy(['fmt', path])).out, file).toBe(await readFile(path, 'utf8'));
    }
  });

  it('limits neither the size nor the time of bodies, and offers HTTP/1, 2 and 3', async () => {
    const { config } = await adapt(caddyfile, 'internal');
    const { read_timeout, write_timeout, protocols } = config.apps.http.servers.srv0;
    expect({ read_timeout, write_timeout, protocols }).toEqual({ protocols: ['h1', 'h2', 'h3'] });
    expect(JSON.stringify(config)).not.toMatch(/request_body|buffer_requests|buffer_responses|response_header_timeout/);
    expect(JSON.stringify(config)).toContain('"flush_interval":-1');
  });

  it('closes idle connections before Berth does', async () => {
    const text = JSON.stringify((await adapt(caddyfile, 'internal')).config);
    const idleTimeouts = [...text.matchAll(/"keep_alive":\{"idle_timeout":(\d+)\}/g)].map(([, time]) => Number(time));
    expect(idleTimeouts).toHaveLength(2);
    for (const time of idleTimeouts) expect(time).toBeLessThan(BERTH_KEEP_ALIVE);
  });
});
