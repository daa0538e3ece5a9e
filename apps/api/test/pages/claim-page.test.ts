import { beforeAll, describe, expect, it } from 'vitest';
import { expectPage } from './expect-page.ts';
import { describeInBrowser, openPage } from '@berth/testing/browser';
import { closeClean, expectErrorAnswer, footprintOf } from '@berth/testing/expectations';
import type { Answer, Ask } from '@berth/testing/requests';
import { startServer } from '@berth/testing/server';
import { useServer } from '@berth/testing/use-server';

const UNKNOWN = '0123456789abcdef0123456789abcdef';
const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

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
const open = (path: string, ask: Ask = {}, asked = server()) =>
  asked.api(path, { key: null, ...ask, headers: { ...BROWSER, ...ask.headers } });
/** Submits the form as a browser does. */
const send = (hash: string, form: Record<string, string>, headers: Record<string, string> = {}, asked = server()) => {
  const own = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: `http://localhost:${asked.port}` };
  const body = new URLSearchParams(form).toString();
  return open(`/claim/${hash}`, { method: 'POST', headers: { ...own, ...headers }, body }, asked);
};

/** Checks the status and the headers of the claim page. */
function expectClaimPage({ status, headers, text }: Answer, expected: number): void {
  expect(status).toBe(expected);
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow' });
  expect(headers).not.toHaveProperty('set-cookie');
  expectPage(headers, text, "'self'");
}

const withoutHash = ({ text }: Answer, hash: string) => text.replaceAll(hash, 'HASH');

describe('T24: the page of a claim link', () => {
  it('claims nothing when it is opened by GET, HEAD or OPTIONS, with or without a credential', async () => {
    const { hash } = await publish();
    const before = await footprintOf(server());
    for (const method of ['GET', 'HEAD', 'OPTIONS'])
      for (const credential of [null, key])
        expect((await open(`/claim/${hash}`, { method, key: credential })).status).toBe(
          method === 'OPTIONS' ? 204 : 200,
        );
    expect(await footprintOf(server())).toEqual(before);
  });

  it('reveals nothing: the page is the same whether the hash is known, unknown or used', async () => {
    const [known, used] = [await publish(), await publish()];
    expectClaimPage(await send(used.hash, { key }), 200);
    const pages = await Promise.all(
      [known.hash, used.hash, UNKNOWN].map(async (hash) => {
        const page = await open(`/claim/${hash}`);
        expectClaimPage(page, 200);
        expect(page.text).toContain('autocomplete="off"');
        return withoutHash(page, hash);
      }),
    );
    expect(new Set(pages).size).toBe(1);
    expect(pages[0]).not.toContain(known.deployment);
  });

  it('returns the headers of GET and no body for HEAD', async () => {
    const [get, head] = [await open(`/claim/${UNKNOWN}`), await open(`/claim/${UNKNOWN}`, { method: 'HEAD' })];
    expect([head.status, head.text, head.headers['content-length']]).toEqual([
      200,
      '',
      String(Buffer.byteLength(get.text)),
    ]);
  });

  it.each(['', '/'])('opens at a URL that ends in %j', async (end) => {
    expectClaimPage(await open(`/claim/${UNKNOWN}${end}`), 200);
  });

  it.each([UNKNOWN.slice(1), `${UNKNOWN}0`, UNKNOWN.toUpperCase(), 'x', `${UNKNOWN}/x`, '%00', `${UNKNOWN}.`])(
    'responds with 404 to a malformed hash, as a page or, for programs, as an error: %s',
    async (hash) => {
      expectClaimPage(await open(`/claim/${hash}`), 404);
      expectErrorAnswer(await server().api(`/claim/${hash}`, { key: null }), 'not_found');
    },
  );

  it.each(['PUT', 'PATCH', 'DELETE'])('responds to %s with 405', async (method) => {
    const answer = await open(`/claim/${UNKNOWN}`, { method });
    expectErrorAnswer(answer, 'method_not_allowed');
    expect(answer.headers['allow']).toBe('GET, POST, HEAD, OPTIONS');
  });
});

describe('api §6: the form of the claim page', () => {
  it('claims the deployment for the account of the API key, and can be submitted again', async () => {
    const { key } = await server().account();
    const { deployment, url, hash } = await publish();
    for (let i = 0; i < 2; i += 1) {
      const page = await send(hash, { key: ` ${key} ` });
      expectClaimPage(page, 200);
      expect(page.text).toContain(`href="${url}"`);
      expect(page.text).not.toContain(key);
    }
    const claimed = (await server().api(`/deployments/${deployment}`, { key })).json();
    expect(claimed).not.toHaveProperty('expires');
    expect((await server().api('/activities?limit=1', { key })).text).toContain('deployment.claim');
  });

  const ELSEWHERE = 'must be sent from this page';
  it.each<[string, number, string, () => Record<string, string>, Record<string, string>?]>([
    ['no key', 400, 'The API key is missing', () => ({})],
    ['an empty key', 400, 'The API key is missing', () => ({ key: ' ' })],
    ['an unknown key', 401, 'This API key is not valid', () => ({ key: `ship-${UNKNOWN}` })],
    ['a malformed key', 401, 'This API key is not valid', () => ({ key: '<b>"\u00e9 x' })],
    ['a deploy token', 403, 'This key cannot claim sites', () => ({ key: deployToken })],
    ['a form on another site', 403, ELSEWHERE, () => ({ key }), { Origin: 'https://evil.test' }],
    ['a form without an origin', 403, ELSEWHERE, () => ({ key }), { Origin: 'null' }],
    ['a form on a site of the platform', 403, ELSEWHERE, () => ({ key }), { 'Sec-Fetch-Site': 'same-site' }],
    ['a form of another site', 403, ELSEWHERE, () => ({ key }), { 'Sec-Fetch-Site': 'cross-site' }],
    ['JSON', 400, 'The API key is missing', () => ({ key }), { 'Content-Type': 'application/json' }],
    ['a form that is too large', 413, 'at most 4096 bytes', () => ({ key: 'x'.repeat(5_000) })],
  ])('responds to %s with %d and a message, and claims nothing', async (_, status, words, form, headers) => {
    const { hash } = await publish();
    const before = await footprintOf(server());
    const page = await send(hash, form(), headers);
    expectClaimPage(page, status);
    expect(page.text).toContain(words);
    expect(page.text).toContain('<form method="post">');
    expect(page.text).not.toContain('<b>');
    expect(await footprintOf(server())).toEqual(before);
    expectClaimPage(await send(hash, { key }, { 'Sec-Fetch-Site': 'same-origin' }), 200);
  });

  it('responds with the same 404 to an unknown link and one used by another account, without a form', async () => {
    const { hash } = await publish();
    const { key: winner } = await server().account();
    await send(hash, { key: winner });
    const [used, unknown] = [await send(hash, { key }), await send(UNKNOWN, { key })];
    for (const page of [used, unknown]) expectClaimPage(page, 404);
    expect(used.text).toBe(unknown.text);
    expect(used.text).not.toContain('<form');
  });

  it.each(['suspended', 'terminated'])('responds with 403 to a key of an account that is %s', async (state) => {
    const { account, key } = await server().account();
    await server().database.query('update account set state = $2 where id = $1', [account, state]);
    const page = await send((await publish()).hash, { key });
    expectClaimPage(page, 403);
    expect(page.text).toContain(state);
  });

  it('responds with the JSON error to clients that do not accept HTML', async () => {
    expectErrorAnswer(await send(UNKNOWN, { key: 'x' }, { Accept: '*/*' }), 'authentication_failed');
  });
});

describeInBrowser('T24: the page of a claim link', (browser) => {
  it('works without scripts, external requests or a referrer to other hosts', async () => {
    const { key } = await server().account();
    const { url, hash } = await publish();
    const { page, foreign } = await openPage(browser(), { javaScriptEnabled: false });
    await page.goto(`http://localhost:${server().port}/claim/${hash}`);
    await page.getByLabel('API key').fill(`ship-${UNKNOWN}`);
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
  ['http://localhost:4999/keep/it', `/keep/it/${UNKNOWN}`, `/claim/${UNKNOWN}`],
  ['http://localhost:4999', `/${UNKNOWN}`, '/no-such-address'],
  ['https://console.example.com/claim', null, `/claim/${UNKNOWN}`],
])('api §10: with CLAIM_URL %s the claim page is at %s and not at %s', async (claimUrl, there, elsewhere) => {
  const other = await startServer({ env: { BASE_URL: 'http://localhost:4999', CLAIM_URL: claimUrl } });
  if (there) expectClaimPage(await open(there, {}, other), 200);
  expect(expectErrorAnswer(await open(elsewhere, {}, other), 'not_found').message).toContain('address');
  if (there === `/${UNKNOWN}`) expect((await other.api('/ping')).status).toBe(200);
  expect(JSON.stringify(other.logged.filter(({ fields }) => fields['status'] === 200))).not.toContain(UNKNOWN);
  await closeClean(other);
});

it('api §7: the 31st claim attempt of an account in an hour gives 429, with a message and Retry-After', async () => {
  const limited = await startServer({ env: { RATE_LIMITS: 'claim=30/h' } });
  const { key } = await limited.account();
  const claim = () => send(UNKNOWN, { key }, {}, limited);
  for (let i = 0; i < 30; i += 1) expect((await claim()).status).toBe(404);
  const page = await claim();
  expectClaimPage(page, 429);
  expect(Number(page.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect(page.text).toMatch(/Try again in \d+ (?:second|minute)/);
  await closeClean(limited);
});
