import { createServer, type Server } from 'node:http';
import { listen, rawRequest, send, stop } from '@berth/testing/raw-socket';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHostMatcher, type HostMatch, type HostNames } from '../../src/routing/host-matcher.ts';

const SETUPS = {
  hosted: { apiHosts: new Set(['api.berth.example', 'console.berth.example']), platformDomain: 'sites.example' },
  local: { apiHosts: new Set(['localhost']), platformDomain: 'localhost' },
} satisfies Record<string, HostNames>;
const ID = 'calm-otter-4k9x2qd';
const SITE = `site ${ID} /`;

/** A request and its expected destination: kind, deployment or domain, path and query. */
type HostCase = [setup: keyof typeof SETUPS, target: string, headers: string[], expected: string];

const host = (value: string) => [`Host: ${value}`];
const cases: HostCase[] = [
  ['hosted', '/', host('api.berth.example'), 'api /'],
  ['hosted', '/deployments?limit=1', host('console.berth.example'), 'api /deployments?limit=1'],
  ['hosted', '/', host('API.Berth.Example:4000'), 'api /'],
  ['hosted', '/', host('api.berth.example.'), 'api /'],
  ['hosted', '/', host(`${ID}.sites.example`), SITE],
  ['hosted', '/a/b?c=d?e', host(`${ID}.sites.example`), `site ${ID} /a/b?c=d?e`],
  ['hosted', '/', host(`${ID.toUpperCase()}.SITES.example`), SITE],
  ['hosted', '/', host(`${ID}.sites.example:443`), SITE],
  ['hosted', '/', host(`${ID}.sites.example:`), SITE],
  ['hosted', '/', host(`${ID}.sites.example.:8443`), SITE],
  ['hosted', '/', [`host: ${ID}.sites.example`], SITE],
  ['hosted', '/', [`HOST:${ID}.sites.example  `], SITE],
  ['hosted', `//evil.example/x`, host(`${ID}.sites.example`), `site ${ID} //evil.example/x`],

  ['hosted', '/', host('sites.example'), 'unknown /'],
  ['hosted', '/', host(`x.${ID}.sites.example`), 'unknown /'],
  ['hosted', '/', host('calm-otter-4k9x2q.sites.example'), 'domain calm-otter-4k9x2q.sites.example /'],
  ['hosted', '/', host(`${ID}.sites.example.evil.example`), `domain ${ID}.sites.example.evil.example /`],
  ['hosted', '/', host(`${ID}.evilsites.example`), `domain ${ID}.evilsites.example /`],
  ['hosted', '/', host(ID), 'unknown /'],
  ['hosted', '/', host(`${ID}..sites.example`), 'unknown /'],
  ['hosted', '/', host(`.sites.example`), 'unknown /'],
  ['hosted', '/', host(`${ID}.sites.example..`), 'unknown /'],
  ['hosted', '/', host('203.0.113.7'), 'unknown /'],
  ['hosted', '/', host(`x.api.berth.example`), `domain x.api.berth.example /`],
  ['hosted', '/x?y', host('a'.repeat(253)), 'unknown /x?y'],

  ['hosted', '/', host('My-Site.Sites.Example'), 'domain my-site.sites.example /'],
  ['hosted', '/a?b', host('WWW.Bakery.Example'), 'domain www.bakery.example /a?b'],
  ['hosted', '/', host('bakery.example.:443'), 'domain bakery.example /'],
  ['hosted', '/', host('xn--bckerei-5wa.example'), 'domain xn--bckerei-5wa.example /'],
  ['hosted', 'http://bakery.example:80/x', host('BAKERY.example'), 'domain bakery.example /x'],
  ['hosted', 'http://bakery.example/x', host('other.example'), 'invalid'],
  ['hosted', '/', host('ab.sites.example'), 'unknown /'],
  ['hosted', '/', host(`${'a'.repeat(63)}.sites.example`), `domain ${'a'.repeat(63)}.sites.example /`],
  ['hosted', '/', host(`${'a'.repeat(64)}.sites.example`), 'unknown /'],
  ['hosted', '/', host('-my-site.sites.example'), 'unknown /'],
  ['hosted', '/', host('my-site-.sites.example'), 'unknown /'],
  ['hosted', '/', host('bakery'), 'unknown /'],
  ['hosted', '/', host('bakery..example'), 'unknown /'],
  ['hosted', '/', host('-bakery.example'), 'unknown /'],
  ['hosted', '/', host(`${'a'.repeat(64)}.example`), 'unknown /'],
  ['hosted', '/', host('0x7f.1'), 'unknown /'],
  ['hosted', '/', host('1.2.3.4.'), 'unknown /'],

  ['hosted', '/', [], 'invalid'],
  ['hosted', '/', host(''), 'invalid'],
  ['hosted', '/', host('.'), 'invalid'],
  ['hosted', '/', host(':80'), 'invalid'],
  ['hosted', '/', host('a'.repeat(254)), 'invalid'],
  ['hosted', '/', [`Host: ${ID}.sites.example`, 'Host: api.berth.example'], 'invalid'],
  ['hosted', '/', [`Host: ${ID}.sites.example`, `hOST: ${ID}.sites.example`], 'invalid'],
  ['hosted', '/', host(`${ID}.sites.example, api.berth.example`), 'invalid'],
  ['hosted', '/', host(`api.berth.example@${ID}.sites.example`), 'invalid'],
  ['hosted', '/', host(`${ID}.sites.example/x`), 'invalid'],
  ['hosted', '/', host(`${ID}.sites.example:80:80`), 'invalid'],
  ['hosted', '/', host(`${ID}.sites.example:port`), 'invalid'],
  ['hosted', '/', host(`calm_otter.sites.example`), 'invalid'],
  ['hosted', '/', host(`${ID}%2esites.example`), 'invalid'],
  ['hosted', '/', host('[::1]:4000'), 'invalid'],
  ['hosted', '/', host('caf\u00e9.sites.example'), 'invalid'],
  ['hosted', '/', host('a b.sites.example'), 'invalid'],

  ['hosted', `http://${ID}.sites.example/a?b`, host(`${ID}.sites.example`), `site ${ID} /a?b`],
  ['hosted', `HTTPS://${ID}.SITES.example:443/a`, host(`${ID}.sites.example`), `site ${ID} /a`],
  ['hosted', `http://${ID}.sites.example`, host(`${ID}.sites.example:80`), SITE],
  ['hosted', `http://${ID}.sites.example?q`, host(`${ID}.sites.example`), `site ${ID} /?q`],
  ['hosted', 'http://api.berth.example/x', host(`${ID}.sites.example`), 'invalid'],
  ['hosted', `http://${ID}.sites.example/x`, host('api.berth.example'), 'invalid'],
  ['hosted', `http://evil@${ID}.sites.example/`, host(`${ID}.sites.example`), 'invalid'],
  ['hosted', `ftp://${ID}.sites.example/`, host(`${ID}.sites.example`), 'invalid'],
  ['hosted', '*', host(`${ID}.sites.example`), 'invalid'],

  ['hosted', '/', [...host('other.example'), `X-Forwarded-Host: ${ID}.sites.example`], 'domain other.example /'],
  ['hosted', '/', [...host('other.example'), `Forwarded: host=${ID}.sites.example`], 'domain other.example /'],
  ['hosted', '/', [...host(`${ID}.sites.example`), 'X-Forwarded-Host: api.berth.example'], SITE],
  ['hosted', '/', [...host(`${ID}.sites.example`), 'X-Host: api.berth.example', 'X-Original-URL: /secret'], SITE],

  ['local', '/', host('localhost:4000'), 'api /'],
  ['local', '/', host('localhost.'), 'api /'],
  ['local', '/', host(`${ID}.localhost:4000`), SITE],
  ['local', '/', host('127.0.0.1:4000'), 'unknown /'],
  ['local', '/', host('my-site.localhost'), 'domain my-site.localhost /'],
  ['local', '/', host('rebound.evil.example'), 'domain rebound.evil.example /'],
];

function describeMatch(match: HostMatch): string {
  if (match.kind === 'invalid') return 'invalid';
  const target = match.path + match.query;
  if (match.kind !== 'site') return `${match.kind} ${target}`;
  const { address } = match;
  return 'domain' in address ? `domain ${address.domain} ${target}` : `site ${address.deployment} ${target}`;
}

it.each([
  ['OPTIONS * targets the front page (S42)', 'OPTIONS', '*', ['Host', `${ID}.sites.example`], SITE],
  ['a letter outside ASCII is never a host letter (S3)', 'GET', '/', ['Host', 'ap\u0130.berth.example'], 'invalid'],
  ['a header value is never a header name (S3)', 'GET', '/', ['X', 'host', 'Host', 'api.berth.example'], 'api /'],
])('the host matcher ensures that %s', (_, method, target, rawHeaders, expected) => {
  expect(describeMatch(createHostMatcher(SETUPS.hosted).match({ method, target, rawHeaders }))).toBe(expected);
});

describe('S3, S4, T11, T31: the destination of a request over a socket', () => {
  let server: Server;
  let port: number;
  let names: HostNames;
  beforeAll(async () => {
    server = createServer({ requireHostHeader: false }, (req, res) => {
      const head = { method: req.method!, target: req.url!, rawHeaders: req.rawHeaders };
      const match = createHostMatcher(names).match(head);
      res.statusCode = { invalid: 400, api: 200, site: 200, unknown: 404 }[match.kind];
      res.end(describeMatch(match));
    });
    port = await listen(server);
  });
  afterAll(() => stop(server));

  it.each(cases)('on the platform "%s" for %s with the headers %j is %s', async (setup, target, headers, expected) => {
    names = SETUPS[setup];
    const { status, body } = await rawRequest(port, `GET ${target} HTTP/1.1`, headers);
    expect(body).toBe(expected);
    expect(status).toBe(expected === 'invalid' ? 400 : expected.startsWith('unknown') ? 404 : 200);
  });

  it('F9: needs a Host, even with HTTP/1.0', async () => {
    names = SETUPS.hosted;
    expect(await send(port, 'GET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 400 .*invalid$/s);
    expect(await send(port, `GET / HTTP/1.0\r\nHost: ${ID}.sites.example\r\n\r\n`)).toMatch(
      new RegExp(`^HTTP/1.1 200 .*${SITE}$`, 's'),
    );
  });

  it('F9: is never another site because of a folded Host', async () => {
    names = SETUPS.hosted;
    const { status } = await rawRequest(port, 'GET / HTTP/1.1', ['Host: other.example', ` ${ID}.sites.example`]);
    expect(status).toBe(400);
  });
});
