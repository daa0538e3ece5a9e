import type { DomainRecords, DomainShare } from '@berth/contract';
import { type DnsServer, startDnsServer } from '@berth/testing/dns-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectPage } from './expect-page.ts';
import { describeInBrowser, openPage } from '@berth/testing/browser';
import { expectError } from '@berth/testing/expectations';
import type { HttpResponse, RequestOptions } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';

const BROWSER_HEADERS = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const HASH = '0123456789abcdef0123456789abcdef';

let dns: DnsServer;
let account: string;
let key: string;
let lastNumber = 0;
const server = useServer({
  env: async () => {
    dns = await startDnsServer();
    return {
      DNS_SERVERS: dns.address,
      CNAME_TARGET: 'cname.test',
      APEX_ADDRESSES: '192.0.2.10, 192.0.2.11, 2001:db8::10',
      PLATFORM_DOMAIN: 'sites.test',
    };
  },
  clean: true,
});
beforeAll(async () => {
  ({ account, key } = await server().account('scale'));
});
beforeEach(() => dns.zone.clear());
afterAll(() => dns.close());

/** Adds a domain to the account. `path` is the path of its share link. */
async function addDomain(prefix = 'www.'): Promise<{ name: string; path: string; records: DomainRecords['records'] }> {
  const name = `${prefix}site${(lastNumber += 1)}.com`;
  const resource = `/domains/${encodeURIComponent(name)}`;
  expect((await server().api(resource, { method: 'PUT', key, json: {} })).status).toBe(201);
  const { hash, url } = (await server().api(`${resource}/share`, { key })).json<DomainShare>();
  expect(url).toBe(`http://localhost:${server().port}/setup/${hash}`);
  const { records } = (await server().api(`${resource}/records`, { key })).json<DomainRecords>();
  return { name, path: `/setup/${hash}`, records };
}
function publishRecords(records: DomainRecords['records']): void {
  for (const { type, name, value } of records) {
    const existingRecords = (dns.zone.get(name) ?? {}) as { [type: string]: string[] };
    dns.zone.set(name, {
      ...existingRecords,
      [type]: type === 'CNAME' ? value : [...(existingRecords[type] ?? []), value],
    });
  }
}
const load = (path: string, options: RequestOptions = {}) =>
  server().api(path, { key: null, ...options, headers: { ...BROWSER_HEADERS, ...options.headers } });
/** Submits the form as a browser does, and follows the redirect. */
async function submitForm(path: string): Promise<HttpResponse> {
  const postResponse = await load(path, { method: 'POST', headers: { 'Sec-Fetch-Site': 'same-origin' } });
  expect([postResponse.status, postResponse.headers['location'], postResponse.headers['cache-control']]).toEqual([
    303,
    path,
    'no-store',
  ]);
  return load(path);
}
/** Ends the waiting time of all domains until the next check. */
const endCooldown = () => server().database.query(`update domain set checked = checked - interval '1 minute'`);
const textOf = (html: string) => html.replace(/<style>.*?<\/style>|<[^>]+>/gs, ' ').replace(/\s+/g, ' ');

describe('api §4: the public page of a share link', () => {
  it('shows the record and where to add it, but not the owner of the domain', async () => {
    const { name, path, records } = await addDomain();
    dns.zone.set(name.replace('www.', ''), { NS: ['amy.ns.cloudflare.com'] });
    const { text } = await load(path);
    const shownText = textOf(text);
    expect(shownText).toContain('Waiting for the DNS records');
    expect(shownText).toContain('Not checked yet.');
    expect(shownText).toMatch(/Sign in at Cloudflare .*DNS only/);
    expect(text).toContain(`<code>www</code>`);
    expect(text).toContain(`<code>${name}</code>`);
    expect(text).toContain(`<code>${records[0]!.value}</code>`);
    expect(text).not.toContain(account);
    expect(text).not.toContain(key);
  });

  it('shows pending, partial and success as its form checks the records again', async () => {
    const { name, path, records } = await addDomain('');
    expect(textOf((await submitForm(path)).text)).toMatch(
      /Waiting for .*Last check: just now\. Next automatic check: in (?:\d+ seconds|1 minute)\..*not correct yet.*There is no such name/,
    );
    publishRecords(records.filter(({ type }) => type === 'A'));
    // Within the waiting time, the server sends no DNS query.
    const queryCount = dns.asked.length;
    expect(textOf((await submitForm(path)).text)).toMatch(/Waiting for .* You can check again in \d+ seconds?\./);
    expect(dns.asked.length).toBe(queryCount);
    await endCooldown();
    expect(textOf((await submitForm(path)).text)).toMatch(
      /Some DNS records were found \(1 of 3\).*A found.*TXT not correct yet/,
    );
    dns.zone.clear();
    publishRecords(records);
    await endCooldown();
    const completeResponse = await submitForm(path);
    expect(textOf(completeResponse.text)).toMatch(/All DNS records were found.*nothing left to do/);
    expect(completeResponse.text).not.toContain('How to add');
    // A DNS query without a response does not mean that the record is missing, so the domain remains verified.
    dns.zone.set(`_berth.${name}`, 'SERVFAIL');
    await endCooldown();
    expect(textOf((await submitForm(path)).text)).toMatch(/All DNS records were found.*TXT no answer/);
    dns.zone.delete(`_berth.${name}`);
    await endCooldown();
    expect(textOf((await submitForm(path)).text)).toMatch(
      /Some DNS records are no longer there.*TXT not correct yet.*How to add/,
    );
    expect((await server().api(`/domains/${name}`, { key })).json()).toMatchObject({ status: 'success' });
  });

  it('shows that the domain is paused', async () => {
    const { name, path } = await addDomain();
    await server().database.query(`update domain set status = 'paused', next_check = null where name = '${name}'`);
    expect(textOf((await load(path)).text)).toContain('This domain is paused');
  });

  it('shows an internationalized name in both notations', async () => {
    const { path } = await addDomain('bücher.');
    expect(textOf((await load(path)).text)).toMatch(
      /xn--bcher-kva\.site\d+\.com This is the DNS form of bücher\.site\d+\.com/,
    );
  });

  it.each([`/setup/${HASH}`, '/setup/x', `/setup/${HASH.toUpperCase()}`, "/setup/'%3Cscript%3E"])(
    'responds with 404 to %s, as a page for browsers and as JSON for programs',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        const page = await load(path, { method });
        expect([page.status, textOf(page.text)]).toEqual([
          404,
          expect.stringContaining('There is nothing at this address'),
        ]);
        expectError(await server().api(path, { method, key: null }), 'not_found');
      }
    },
  );

  it('T17, security §7: has the headers of every page of the service, contains no script, and is not indexed', async () => {
    const { path } = await addDomain();
    for (const [address, status] of [
      [path, 200],
      [`/setup/${HASH}`, 404],
    ] as const) {
      const response = await load(address);
      expect(response.status).toBe(status);
      expect(response.headers).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow' });
      expectPage(response.headers, response.text, "'self'");
      const head = await load(address, { method: 'HEAD' });
      expect([head.status, head.text, head.headers['content-length']]).toEqual([
        status,
        '',
        response.headers['content-length'],
      ]);
    }
  });

  it('T17: shows foreign DNS records as plain text, without control characters', async () => {
    const { path, name } = await addDomain('');
    dns.zone.set(`_berth.${name}`, { TXT: ['"><script>alert(1)</script>', '\u0000\u202e&lt;'] });
    const { text } = await submitForm(path);
    expect(text).toContain('&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;');
    expect(text).not.toMatch(/<script|\0|\u202e/);
  });

  it('T13: does not check the records when another site submits the form', async () => {
    const { path } = await addDomain();
    const queriesBefore = dns.asked.length;
    const postResponse = await load(path, {
      method: 'POST',
      headers: { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.test' },
    });
    expect(postResponse.status).toBe(303);
    expect(dns.asked.slice(queriesBefore).filter((question) => question.startsWith('CNAME'))).toEqual([]);
  });

  it('changes nothing when it is opened, and returns 405 for other methods', async () => {
    const { path, name } = await addDomain();
    const readDomain = () => server().database.query(`select * from domain where name = '${name}'`);
    const domainBefore = await readDomain();
    await load(path);
    await load(path, { method: 'HEAD' });
    expect(await readDomain()).toEqual(domainBefore);
    const response = await load(path, { method: 'DELETE' });
    expectError(response, 'method_not_allowed');
    expect(response.headers['allow']).toBe('GET, POST, HEAD, OPTIONS');
  });
});

describeInBrowser('api §4: the public page of a share link', (browser) => {
  it('the page of a share link works without JavaScript, from the first check to the last', async () => {
    const { path, records } = await addDomain();
    const { page, faults, foreign } = await openPage(browser(), { javaScriptEnabled: false });
    await page.goto(`http://localhost:${server().port}${path}`);
    expect(await page.getByRole('status').textContent()).toBe('Waiting for the DNS records');
    publishRecords(records);
    await page.getByRole('button', { name: 'Check now' }).click();
    expect(await page.getByRole('status').textContent()).toBe('All DNS records were found');
    expect(await page.title()).toMatch(/^All DNS records were found – www\.site/);
    expect([faults, foreign]).toEqual([[], []]);
  });
});
