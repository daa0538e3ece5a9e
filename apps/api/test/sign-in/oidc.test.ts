import { registerAccount, setAccountState } from '@berth/core/operator';
import { startProvider, type TestProvider } from '@berth/testing/oidc-server';
import type { HttpResponse } from '@berth/testing/requests';
import { startServer, type TestServer } from '@berth/testing/server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createBrowser, dataOf } from './browser.ts';

let provider: TestProvider;
let server: TestServer;
let signUpServer: TestServer;
let people = 0;
let email: string;

beforeAll(async () => {
  provider = await startProvider();
  const env = {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'berth',
    OIDC_CLIENT_SECRET: 'secret',
    OIDC_NAME: 'Acme',
  };
  server = await startServer({ env });
  signUpServer = await startServer({ env: { ...env, SIGN_UP: 'on' } });
});
afterAll(async () => {
  await Promise.all([server, signUpServer].map((each) => each.close()));
  await provider.close();
});
beforeEach(() => {
  email = `edith${(people += 1)}@example.com`;
  provider.profile = {};
  provider.person = { sub: `sub-${email}`, email, email_verified: true, name: 'Edith' };
});

type Browser = ReturnType<typeof createBrowser>;
const locationOf = ({ headers }: HttpResponse) => String(headers['location']);

/** Opens the provider as a browser does. @returns The path with which the provider sends the browser back. */
async function visitProvider(begin: HttpResponse): Promise<string> {
  expect(begin.status).toBe(303);
  const response = await fetch(locationOf(begin), { redirect: 'manual' });
  const callback = new URL(response.headers.get('location')!);
  expect(callback.pathname).toBe('/sign-in/oidc/callback');
  return callback.pathname + callback.search;
}
const CROSS_SITE = { headers: { 'Sec-Fetch-Site': 'cross-site' } };
async function signIn(to: TestServer, browser: Browser = createBrowser(to.port), back = ''): Promise<HttpResponse> {
  const begin = await browser.request(`/sign-in/oidc${back && `?back=${encodeURIComponent(back)}`}`);
  return browser.request(await visitProvider(begin), CROSS_SITE);
}
/** Signs a new member in, with the provider. */
async function signInMember(): Promise<Browser> {
  await registerAccount(server.berth.core, { email, plan: 'free' });
  const browser = createBrowser(server.port);
  await signIn(server, browser);
  return browser;
}
/** Lets the proof of a session end. @returns The id of the session. */
async function expireProof(browser: Browser): Promise<string> {
  const { session } = (await stateOf(browser)).signedIn!;
  await server.database.query(`update session set proved = now() - interval '1 hour' where id = $1`, [session]);
  return session;
}
const stateOf = async (browser: Browser) =>
  dataOf<{ signedIn: { method: string; person: { email: string }; provenUntil: number; session: string } | null }>(
    await browser.query('session.get'),
  );

describe('api §13: OpenID Connect', () => {
  it('is offered by its name', async () => {
    expect(dataOf(await createBrowser(server.port).query('session.get'))).toMatchObject({
      methods: { oidc: 'Acme', code: false },
      signUp: false,
    });
  });

  it('signs in a member by a verified e-mail address, and later by the identity alone', async () => {
    await registerAccount(server.berth.core, { email: email.toUpperCase(), plan: 'free' });
    const browser = createBrowser(server.port);
    expect(locationOf(await signIn(server, browser))).toBe('/app/sites');
    expect(await stateOf(browser)).toMatchObject({ signedIn: { method: 'oidc', person: { email } } });
    expect([...browser.cookies.keys()]).toEqual([`berth-session-${server.port}`]);

    provider.person = { sub: provider.person.sub, email: 'changed@example.com', email_verified: false };
    const again = createBrowser(server.port);
    await signIn(server, again);
    expect(await stateOf(again)).toMatchObject({ signedIn: { person: { email } } });
  });

  it('signs in a person whose address only the userinfo endpoint has', async () => {
    await registerAccount(server.berth.core, { email, plan: 'free' });
    provider.person = { sub: `sub-${email}` };
    provider.profile = { email, email_verified: true };
    expect(locationOf(await signIn(server))).toBe('/app/sites');
  });

  it.each([
    ['an address that the provider has not verified', () => (provider.person.email_verified = false)],
    ['no address', () => delete provider.person.email],
    ['a verified address as a text', () => (provider.person.email_verified = 'true' as never)],
    ['the address of a stranger', () => (provider.person.email = 'stranger@example.com')],
  ])('T47: signs no one in with %s', async (_, change) => {
    await registerAccount(server.berth.core, { email, plan: 'free' });
    change();
    const browser = createBrowser(server.port);
    expect(locationOf(await signIn(server, browser))).toBe('/app/sign-in?problem=no-account');
    expect(await stateOf(browser)).toEqual(expect.objectContaining({ signedIn: null }));
  });

  it('T47: does not give the account to a second identity with the same address', async () => {
    await registerAccount(server.berth.core, { email, plan: 'free' });
    await signIn(server);
    provider.person = { ...provider.person, sub: 'successor' };
    expect(locationOf(await signIn(server))).toBe('/app/sign-in?problem=no-account');
  });

  it('T44: is bound to the browser that began, works once, and only with its state', async () => {
    await registerAccount(server.berth.core, { email, plan: 'free' });
    const [victim, attacker] = [createBrowser(server.port), createBrowser(server.port)];
    const ofAttacker = await visitProvider(await attacker.request('/sign-in/oidc'));
    expect(locationOf(await victim.request(ofAttacker, CROSS_SITE))).toBe('/app/sign-in?problem=refused');
    await victim.request('/sign-in/oidc');
    expect(locationOf(await victim.request(ofAttacker, CROSS_SITE))).toBe('/app/sign-in?problem=refused');
    expect(await stateOf(victim)).toMatchObject({ signedIn: null });

    const cookie = [...attacker.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const uses = await Promise.all(
      Array.from({ length: 10 }, () =>
        createBrowser(server.port).request(ofAttacker, { headers: { ...CROSS_SITE.headers, Cookie: cookie } }),
      ),
    );
    expect(uses.map(locationOf).filter((location) => location === '/app/sites')).toHaveLength(1);
  });

  it('T43: is begun by no page of another site', async () => {
    const response = await createBrowser(server.port).request('/sign-in/oidc', CROSS_SITE);
    expect(locationOf(response)).toBe('/app/sign-in?problem=refused');
    expect(response.headers['set-cookie']).toBeUndefined();
  });

  it('T46: proves the person of a session, which stays the same and gets a new secret', async () => {
    const browser = await signInMember();
    const before = await expireProof(browser);
    const secret = [...browser.cookies.values()][0];
    const begin = await browser.request('/sign-in/oidc?back=/app/tokens');
    expect(new URL(locationOf(begin)).searchParams.get('prompt')).toBe('login');
    expect(locationOf(await browser.request(await visitProvider(begin), CROSS_SITE))).toBe('/app/tokens');
    const { signedIn: after } = await stateOf(browser);
    expect(after!.session).toBe(before);
    expect(after!.provenUntil).toBeGreaterThan(Date.now() / 1000);
    expect([...browser.cookies.values()][0]).not.toBe(secret);
  });

  describe('as a further way in', () => {
    /** Adds the present person of the provider. @returns Where the browser is sent. */
    async function add(browser: Browser): Promise<string> {
      const { url } = dataOf<{ url: string }>(await browser.call('identities.begin'));
      const response = await fetch(url, { redirect: 'manual' });
      const callback = new URL(response.headers.get('location')!);
      return locationOf(await browser.request(callback.pathname + callback.search, CROSS_SITE));
    }
    const list = async (browser: Browser) =>
      dataOf<{ identities: { identity: string; email: string | null }[] }>(await browser.query('identities.list'))
        .identities;

    it('is added to the person who is signed in, whatever its address is, and then signs in that person', async () => {
      const browser = await signInMember();
      provider.person = { sub: `second-${email}`, email: 'private@example.net' };
      expect(await add(browser)).toBe('/app/account');
      expect(await list(browser)).toMatchObject([{ provider: 'Acme', email }, { email: 'private@example.net' }]);
      const other = createBrowser(server.port);
      expect(locationOf(await signIn(server, other))).toBe('/app/sites');
      expect(await stateOf(other)).toMatchObject({ signedIn: { person: { email } } });
    });

    it('T47: is not added if it signs in another person, who alone can remove it', async () => {
      const [foreign] = await list(await signInMember());
      const taken = provider.person;
      email = `grace-${email}`;
      provider.person = { sub: `sub-${email}`, email, email_verified: true };
      const browser = await signInMember();
      provider.person = taken;
      expect(await add(browser)).toBe('/app/account?problem=taken');
      expect(await list(browser)).toHaveLength(1);
      expect((await browser.call('identities.delete', foreign)).status).toBe(404);
    });

    it('T44: is not added after the session has ended', async () => {
      const browser = await signInMember();
      const { url } = dataOf<{ url: string }>(await browser.call('identities.begin'));
      const response = await fetch(url, { redirect: 'manual' });
      const callback = new URL(response.headers.get('location')!);
      await server.database.query(`delete from session where person_id in (select id from person where email = $1)`, [
        email,
      ]);
      const location = locationOf(await browser.request(callback.pathname + callback.search, CROSS_SITE));
      expect(location).toBe('/app/account?problem=refused');
    });

    it('T46: is added and removed only after a recent proof, and its removal ends the other sessions', async () => {
      const browser = await signInMember();
      provider.person = { sub: `second-${email}` };
      await add(browser);
      const elsewhere = createBrowser(server.port);
      await signIn(server, elsewhere);
      const [first, second] = await list(browser);
      await server.database.query(`update session set proved = now() - interval '1 hour'`);
      for (const [name, input] of [
        ['identities.begin', {}],
        ['identities.delete', first],
      ] as const)
        expect((await browser.call(name, input)).status).toBe(403);
      await server.database.query(`update session set proved = now()`);
      expect((await browser.call('identities.delete', first)).status).toBe(200);
      expect(await stateOf(elsewhere)).toEqual(expect.objectContaining({ signedIn: null }));
      expect((await browser.call('identities.delete', first)).status).toBe(404);
      const last = await browser.call('identities.delete', second);
      expect(last.status).toBe(422);
      expect(last.text).toContain('This is your only way to sign in.');
      await browser.call('person.setPassword', { password: 'correct horse battery' });
      expect((await browser.call('identities.delete', second)).status).toBe(200);
    });
  });

  const AN_HOUR_AGO = () => Math.floor(Date.now() / 1000) - 3600;

  it.each([
    ['that the person signed in an hour ago', AN_HOUR_AGO],
    ['nothing about when the person signed in', () => null],
  ])('T46: proves nothing if the provider says %s', async (_, signedIn) => {
    const browser = await signInMember();
    await expireProof(browser);
    provider.person.auth_time = signedIn();
    const begin = await browser.request('/sign-in/oidc');
    expect(new URL(locationOf(begin)).searchParams.get('max_age')).toBe('0');
    expect(locationOf(await browser.request(await visitProvider(begin), CROSS_SITE))).toBe(
      '/app/sign-in?problem=refused',
    );
    expect((await stateOf(browser)).signedIn!.provenUntil).toBeLessThan(Date.now() / 1000);
  });

  it('T46: signs in without a proof if the person signed in at the provider long before', async () => {
    await registerAccount(server.berth.core, { email, plan: 'free' });
    provider.person.auth_time = AN_HOUR_AGO();
    const browser = createBrowser(server.port);
    expect(locationOf(await signIn(server, browser))).toBe('/app/sites');
    expect((await stateOf(browser)).signedIn!.provenUntil).toBeLessThan(Date.now() / 1000);
    expect((await browser.call('tokens.create', {})).status).toBe(403);
  });

  it.each(['//evil.test', 'https://evil.test', '/\\evil.test', '/\t/evil.test', 'app', '\\evil.test', '/%0d%0aX: y'])(
    'T33: does not return to %j on another host',
    async (back) => {
      await registerAccount(server.berth.core, { email, plan: 'free' });
      const location = locationOf(await signIn(server, createBrowser(server.port), back));
      expect(new URL(location, 'http://localhost').origin).toBe('http://localhost');
      if (!back.startsWith('/%0d')) expect(location).toBe('/app/sites');
    },
  );

  it('does not sign in to a suspended account', async () => {
    const account = await registerAccount(server.berth.core, { email, plan: 'free' });
    await setAccountState(server.berth.core, account, 'suspended');
    expect(locationOf(await signIn(server))).toBe('/app/sign-in?problem=no-account');
  });

  it('that cannot be reached is an error, and works again when it can, without a restart', async () => {
    const away = await startProvider();
    const { port, issuer } = away;
    await away.close();
    const patient = await startServer({
      env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'berth', OIDC_CLIENT_SECRET: 'secret' },
    });
    try {
      const browser = createBrowser(patient.port);
      expect(locationOf(await browser.request('/sign-in/oidc'))).toBe('/app/sign-in?problem=unavailable');
      expect(patient.logged.some(({ level }) => level === 'warn')).toBe(true);
      const back = await startProvider(port);
      back.person = provider.person;
      await registerAccount(patient.berth.core, { email, plan: 'free' });
      expect(locationOf(await signIn(patient, browser))).toBe('/app/sites');
      await back.close();
    } finally {
      await patient.close();
    }
  });

  it('T20: leaves no secret in the log and the database', async () => {
    await registerAccount(server.berth.core, { email, plan: 'free' });
    const browser = createBrowser(server.port);
    const begin = await browser.request('/sign-in/oidc');
    const { searchParams } = new URL(locationOf(begin));
    const proof = [...browser.cookies.values()][0]!;
    const dump = JSON.stringify([await server.database.query('select p::text from proof p'), server.logged]);
    for (const secret of [proof, searchParams.get('state')!, searchParams.get('nonce')!])
      expect(dump).not.toContain(secret);
  });
});

describe('api §13: OpenID Connect with SIGN_UP=on', () => {
  it('opens an account and returns to the page that the person came from', async () => {
    const browser = createBrowser(signUpServer.port);
    expect(locationOf(await signIn(signUpServer, browser, '/claim/abc?x=1'))).toBe('/claim/abc?x=1');
    expect(await stateOf(browser)).toMatchObject({ signedIn: { person: { email } } });
    expect(await signUpServer.database.query('select name, plan from account where email = $1', [email])).toEqual([
      { name: 'Edith', plan: 'free' },
    ]);
  });

  it('T47: opens none for an address that the provider has not verified', async () => {
    provider.person.email_verified = false;
    expect(locationOf(await signIn(signUpServer))).toBe('/app/sign-in?problem=no-account');
    expect(await signUpServer.database.query('select 1 from account where email = $1', [email])).toEqual([]);
  });
});
