import { beforeAll, describe, expect, it } from 'vitest';
import { expectPage } from './expect-page.ts';
import { describeInBrowser, openPage } from '@berth/testing/browser';
import { closeClean, expectError, footprintOf } from '@berth/testing/expectations';
import type { HttpResponse, RequestOptions } from '@berth/testing/requests';
import { startServer } from '@berth/testing/server';
import { useServer } from '@berth/testing/use-server';

const HASH = '0123456789abcdef0123456789abcdef';
const BROWSER_HEADERS = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

const server = useServer({ clean: true });
let key: string;
let deployToken: string;
beforeAll(async () => {
  ({ key, deployToken } = await server().account());
});

async function publish(): Promise<{ deployment: string; url: string; hash: string }> {
  const { deployment, url, claim } = await server().publish({ 'index.html': 'hello' }, { key: null });
  return { deployment, url, hash: claim!.split('/').at(-1)! };
}
const load = (path: string, options: RequestOptions = {}, target = server()) =>
  target.api(path, { key: null, ...options, headers: { ...BROWSER_HEADERS, ...options.headers } });
/** Submits the form as a browser does. */
const submitClaim = (
  hash: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
  target = server(),
) => {
  const formHeaders = {
    'Content-Type': 'application/x-www-form-urlencoded',
    Origin: `http://localhost:${target.port}`,
  };
  const body = new URLSearchParams(form).toString();
  return load(`/claim/${hash}`, { method: 'POST', headers: { ...formHeaders, ...headers }, body }, target);
};

function expectClaimPage({ status, headers, text }: HttpResponse, expected: number): void {
  expect(status).toBe(expected);
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow' });
  expect(headers).not.toHaveProperty('set-cookie');
  expectPage(headers, text, "'self'");
}

const withoutHash = ({ text }: HttpResponse, hash: string) => text.replaceAll(hash, 'HASH');

describe('T24: the page of a claim link', () => {
  it('claims nothing when it is opened by GET, HEAD or OPTIONS, with or without a credential', async () => {
    const { hash } = await publish();
    const footprintBefore = await footprintOf(server());
    for (const method of ['GET', 'HEAD', 'OPTIONS'])
      for (const credential of [null, key])
        expect((await load(`/claim/${hash}`, { method, key: credential })).status).toBe(
          method === 'OPTIONS' ? 204 : 200,
        );
    expect(await footprintOf(server())).toEqual(footprintBefore);
  });

  it('names the site and how long it lasts, with an escaped title', async () => {
    const { deployment, url, hash } = await publish();
    const host = `<a href="${url}" rel="noreferrer">${new URL(url).host}</a>`;
    expect((await load(`/claim/${hash}`)).text).toContain(`<p class="site">${host}</p>`);
    await server().database.query('update front_page set title = $1 where deployment_id = $2', [
      '</p><script>alert(1)</script>',
      deployment,
    ]);
    const page = await load(`/claim/${hash}`);
    expectClaimPage(page, 200);
    expect(page.text).toContain(`&#60;/p&#62;&#60;script&#62;alert(1)&#60;/script&#62;, at ${host}`);
    expect(page.text).toMatch(/It is removed in [23] days, unless an account claims it/);
  });

  it('is the same whether the hash is unknown, expired or used', async () => {
    const [expired, used] = [await publish(), await publish()];
    await server().database.query(`update deployment set expires = now() where id = $1`, [expired.deployment]);
    expectClaimPage(await submitClaim(used.hash, { key }), 200);
    const pages = await Promise.all(
      [expired.hash, used.hash, HASH].map(async (hash) => {
        const page = await load(`/claim/${hash}`);
        expectClaimPage(page, 200);
        expect(page.text).toContain('autocomplete="off"');
        return withoutHash(page, hash);
      }),
    );
    expect(new Set(pages).size).toBe(1);
    expect(pages[0]).not.toContain(expired.deployment);
  });

  it('has the headers of GET and no body for HEAD', async () => {
    const [get, head] = [await load(`/claim/${HASH}`), await load(`/claim/${HASH}`, { method: 'HEAD' })];
    expect([head.status, head.text, head.headers['content-length']]).toEqual([
      200,
      '',
      String(Buffer.byteLength(get.text)),
    ]);
  });

  it.each(['', '/'])('opens at a URL that ends in %j', async (end) => {
    expectClaimPage(await load(`/claim/${HASH}${end}`), 200);
  });

  it.each([HASH.slice(1), `${HASH}0`, HASH.toUpperCase(), 'x', `${HASH}/x`, '%00', `${HASH}.`])(
    'responds with 404 to the malformed hash %s, with a page for browsers and an error for programs',
    async (hash) => {
      expectClaimPage(await load(`/claim/${hash}`), 404);
      expectError(await server().api(`/claim/${hash}`, { key: null }), 'not_found');
    },
  );

  it.each(['PUT', 'PATCH', 'DELETE'])('responds to %s with 405', async (method) => {
    const response = await load(`/claim/${HASH}`, { method });
    expectError(response, 'method_not_allowed');
    expect(response.headers['allow']).toBe('GET, POST, HEAD, OPTIONS');
  });
});

describe('api §6: the form of the claim page', () => {
  it('claims the deployment for the account of the API key, and can be submitted again', async () => {
    const { key } = await server().account();
    const { deployment, url, hash } = await publish();
    for (let i = 0; i < 2; i += 1) {
      const page = await submitClaim(hash, { key: ` ${key} ` });
      expectClaimPage(page, 200);
      expect(page.text).toContain(`href="${url}"`);
      expect(page.text).toMatch(/It has \d files?, \d+ B in total\./);
      expect(page.text).not.toContain(key);
    }
    const claimedDeployment = (await server().api(`/deployments/${deployment}`, { key })).json();
    expect(claimedDeployment).not.toHaveProperty('expires');
    expect((await server().api('/activities?limit=1', { key })).text).toContain('deployment.claim');
  });

  const WRONG_ORIGIN = 'must be sent from this page';
  it.each<[string, number, string, () => Record<string, string>, Record<string, string>?]>([
    ['a missing key', 400, 'The API key is missing', () => ({})],
    ['an empty key', 400, 'The API key is missing', () => ({ key: ' ' })],
    ['an unknown key', 401, 'This API key is not valid', () => ({ key: `ship-${HASH}` })],
    ['a malformed key', 401, 'This API key is not valid', () => ({ key: '<b>"\u00e9 x' })],
    ['a deploy token', 403, 'This key cannot claim sites', () => ({ key: deployToken })],
    ['a form on another site', 403, WRONG_ORIGIN, () => ({ key }), { Origin: 'https://evil.test' }],
    ['a form without an origin', 403, WRONG_ORIGIN, () => ({ key }), { Origin: 'null' }],
    ['a form on a site of the platform', 403, WRONG_ORIGIN, () => ({ key }), { 'Sec-Fetch-Site': 'same-site' }],
    ['a form of another site', 403, WRONG_ORIGIN, () => ({ key }), { 'Sec-Fetch-Site': 'cross-site' }],
    ['JSON', 400, 'The API key is missing', () => ({ key }), { 'Content-Type': 'application/json' }],
    ['a form that is too large', 413, 'at most 4096 bytes', () => ({ key: 'x'.repeat(5_000) })],
  ])('responds to %s with %d and a message, and claims nothing', async (_, status, words, form, headers) => {
    const { hash } = await publish();
    const footprintBefore = await footprintOf(server());
    const page = await submitClaim(hash, form(), headers);
    expectClaimPage(page, status);
    expect(page.text).toContain(words);
    expect(page.text).toContain('<form method="post">');
    expect(page.text).not.toContain('<b>');
    expect(await footprintOf(server())).toEqual(footprintBefore);
    expectClaimPage(await submitClaim(hash, { key }, { 'Sec-Fetch-Site': 'same-origin' }), 200);
  });

  it('responds with the same 404 to an unknown link and to a link that another account has used, without a form', async () => {
    const { hash } = await publish();
    const { key: winner } = await server().account();
    await submitClaim(hash, { key: winner });
    const [used, unknown] = [await submitClaim(hash, { key }), await submitClaim(HASH, { key })];
    for (const page of [used, unknown]) expectClaimPage(page, 404);
    expect(used.text).toBe(unknown.text);
    expect(used.text).not.toContain('<form');
  });

  it.each(['suspended', 'terminated'])('responds with 403 to a key of an account that is %s', async (state) => {
    const { account, key } = await server().account();
    await server().database.query('update account set state = $2 where id = $1', [account, state]);
    const page = await submitClaim((await publish()).hash, { key });
    expectClaimPage(page, 403);
    expect(page.text).toContain(state);
  });

  it('responds with the JSON error to clients that do not accept HTML', async () => {
    expectError(await submitClaim(HASH, { key: 'x' }, { Accept: '*/*' }), 'authentication_failed');
  });
});

describeInBrowser('T24: the page of a claim link', (browser) => {
  it('the claim page works without scripts, external requests or a referrer to other hosts', async () => {
    const { key } = await server().account();
    const { url, hash } = await publish();
    const { page, foreign } = await openPage(browser(), { javaScriptEnabled: false });
    await page.goto(`http://localhost:${server().port}/claim/${hash}`);
    await page.getByLabel('API key').fill(`ship-${HASH}`);
    await page.getByRole('button', { name: 'Claim the site' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('This API key is not valid');
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Claim the site' }).click();
    expect(await page.getByRole('heading').textContent()).toBe('The site is yours');
    const visit = page.waitForRequest(`${url}/`);
    await page.getByRole('link').click();
    expect((await visit).headers()['referer']).toBeUndefined();
    expect(foreign).toEqual([]);
  });
});

it.each([
  ['http://localhost:4999/keep/it', `/keep/it/${HASH}`, `/claim/${HASH}`],
  ['http://localhost:4999', `/${HASH}`, '/no-such-address'],
  ['https://console.example.com/claim', null, `/claim/${HASH}`],
])('api §10: with CLAIM_URL %s the claim page is at %s and not at %s', async (claimUrl, pagePath, wrongPath) => {
  const otherServer = await startServer({ env: { BASE_URL: 'http://localhost:4999', CLAIM_URL: claimUrl } });
  if (pagePath) expectClaimPage(await load(pagePath, {}, otherServer), 200);
  const json = { headers: { Accept: 'application/json' } };
  expect(expectError(await load(wrongPath, json, otherServer), 'not_found').message).toContain('address');
  if (pagePath === `/${HASH}`) expect((await otherServer.api('/ping')).status).toBe(200);
  expect(JSON.stringify(otherServer.logged.filter(({ fields }) => fields['status'] === 200))).not.toContain(HASH);
  await closeClean(otherServer);
});

it('api §7: the 31st claim attempt of an account in an hour gets 429, with a message and Retry-After', async () => {
  const limitedServer = await startServer({ env: { RATE_LIMITS: 'claim=30/h' } });
  const { key } = await limitedServer.account();
  const claim = () => submitClaim(HASH, { key }, {}, limitedServer);
  for (let i = 0; i < 30; i += 1) expect((await claim()).status).toBe(404);
  const page = await claim();
  expectClaimPage(page, 429);
  expect(Number(page.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect(page.text).toMatch(/Try again in \d+ (?:second|minute)/);
  await closeClean(limitedServer);
});
