import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@berth/client';
import { startAnswering } from '@berth/testing/fake-servers';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readServerAddress } from '../../src/main/account/address.ts';
import { KnownServer } from '../../src/main/account/known-server.ts';
import { approveSignIn } from './approve-sign-in.ts';
import { stopAtWrite } from './native.ts';
import { eventually, openSignedInWorld, openWatched, openWorld } from './watch-world.ts';

const server = useServer();
const secondServer = useServer();

const apiOf = (key: string) => createClient({ server: `http://localhost:${server().port}`, key }).api;

/** Creates another API key for the account of a key. */
const addKey = async (key: string) => (await apiOf(key).tokens.create.mutate({ kind: 'api' })).secret;

const UNKNOWN_KEY = `ship-${'0'.repeat(31)}f`;

describe('readServerAddress', () => {
  it.each([
    ['berth.example', 'https://berth.example'],
    ['  Berth.Example/ ', 'https://berth.example'],
    ['https://berth.example/login?next=/', 'https://berth.example'],
    ['berth.example:8443', 'https://berth.example:8443'],
    ['http://nas', 'http://nas'],
    ['localhost:4000', 'http://localhost:4000'],
    ['berth.localhost', 'http://berth.localhost'],
    ['127.0.0.1:4000', 'http://127.0.0.1:4000'],
    ['192.168.1.20', 'http://192.168.1.20'],
    ['10.0.0.1', 'http://10.0.0.1'],
    ['172.16.0.1', 'http://172.16.0.1'],
    ['172.32.0.1', 'https://172.32.0.1'],
    ['8.8.8.8', 'https://8.8.8.8'],
    ['[::1]:4000', 'http://[::1]:4000'],
    ['[fd00::1]', 'http://[fd00::1]'],
    ['[2001:db8::1]', 'https://[2001:db8::1]'],
    ['10.example', 'https://10.example'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ])('normalizes the typed text %j to the origin %s', (typed, origin) => expect(readServerAddress(typed)).toBe(origin));

  it.each([
    '',
    ' ',
    'ftp://berth.example',
    'file:///etc',
    'javascript://x',
    'two words',
    'https://',
    'https://a:b@c.d',
    'me@berth.example',
  ])('rejects the typed text %j, because it is not a server address', (typed) =>
    expect(() => readServerAddress(typed)).toThrow(/server address/),
  );
});

describe('when a user has an account (desktop §1, §6),', () => {
  it('the app stores the key only in the keychain, and still shows the account after a restart', async () => {
    const world = await openWorld(server());
    expect(world.signInState()).toEqual({ is: 'signed-out' });
    const { key, account } = await server().account();
    const { email } = await world.handlers.signIn({ key: `  ${key}\n` });
    expect(world.signInState()).toMatchObject({ is: 'signed-in', account: { account, email } });
    expect(world.native.keys.get(world.origin)).toBe(key);
    expect(JSON.stringify(world.accounts.session())).not.toContain(key);

    const heldResponse = Promise.withResolvers<void>();
    world.hold = async (request) => {
      if (request.includes('account.get')) await heldResponse.promise;
    };
    await world.reopen();
    expect(world.signInState()).toEqual({ is: 'checking' });
    heldResponse.resolve();
    await eventually(() => expect(world.signInState()).toMatchObject({ is: 'signed-in', account: { email } }));
  });

  it('a person approves the app in the browser, and the app signs in with the key that it gets', async () => {
    const world = await openWorld(server());
    const { account } = await server().account('team');
    const begun = (await world.handlers.beginSignIn())!;
    expect(begun).toEqual({ code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/), page: `${world.origin}/device` });
    expect(world.native.opened).toEqual([`${world.origin}/device?code=${begun.code}`]);
    await approveSignIn(server(), account);
    expect(await world.handlers.awaitSignIn()).toEqual({ email: expect.stringContaining('@') });
    expect(world.signInState()).toMatchObject({ is: 'signed-in', account: { account } });
    expect(world.native.keys.get(world.origin)).toMatch(/^ship-/);
  });

  it('a sign-in in the browser that is cancelled ends, and another one can begin', async () => {
    const world = await openWorld(server());
    await world.handlers.beginSignIn();
    const waiting = world.handlers.awaitSignIn();
    const ended = expect(waiting).rejects.toMatchObject({ kind: 'aborted' });
    await world.handlers.cancelSignIn();
    await ended;
    await expect(world.handlers.awaitSignIn()).rejects.toMatchObject({ kind: 'refused' });
    expect(await world.handlers.beginSignIn()).not.toBeNull();
    await world.handlers.cancelSignIn();
  });

  it('no folder is published again after signing in with another key of the same account, nor after a restart', async () => {
    const { world, key } = await openSignedInWorld(server());
    const { id, live } = await world.watchNew('dist', 'one', { password: 'open-sesame' });
    await world.handlers.signIn({ key: await addKey(key) });
    // The folder becomes live again only when the server has confirmed the live version for the new key.
    await eventually(() =>
      expect(world.emitted(id).slice(world.emitted(id).lastIndexOf('starting'))).toEqual(['starting', 'live']),
    );
    // After a restart, the app knows the key's account before the server confirms it again.
    const heldResponse = Promise.withResolvers<void>();
    world.hold = async (request) => {
      if (request.includes('account.get')) await heldResponse.promise;
    };
    await world.reopen();
    await world.until(id, 'live');
    expect(world.signInState()).toEqual({ is: 'checking' });
    heldResponse.resolve();
    expect(await world.deployments()).toEqual([live!.deployment]);
  });

  it('the app reads the id of the account from the server if the id was not stored', async () => {
    const { world, account } = await openSignedInWorld(server());
    expect(world.accounts.client().account).toBe(account);
    const path = join(world.dataDir, 'servers.json');
    await world.close();
    const storedServers = JSON.parse(readFileSync(path, 'utf8')) as { servers: { account: string | null }[] };
    expect(storedServers.servers).toMatchObject([{ account }]);
    storedServers.servers[0]!.account = null;
    writeFileSync(path, JSON.stringify(storedServers));
    const heldResponse = Promise.withResolvers<void>();
    world.hold = async (request) => {
      if (request.includes('account.get')) await heldResponse.promise;
    };
    await world.reopen();
    expect(world.accounts.client().account).toBeNull();
    heldResponse.resolve();
    await eventually(() => expect(world.accounts.client().account).toBe(account));
    await world.handlers.signOut();
    expect(world.accounts.client().account).toBeNull();
  });

  it.each([
    ['a deploy token', `deploy-${'0'.repeat(32)}`, 'deploy token', false],
    ['a key that the server does not know', UNKNOWN_KEY, 'does not know this key', true],
    ['something else', 'hunter2', '32 hex digits', false],
  ])('%s is refused as a key; nothing is stored, and only API keys are sent', async (_, key, words, isSent) => {
    const world = await openWorld(server());
    await expect(world.handlers.signIn({ key })).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining(words),
    });
    expect(world.signInState()).toEqual({ is: 'signed-out' });
    expect(world.native.keys.size).toBe(0);
    expect(world.sent.length > 0).toBe(isSent);
  });

  it('a sign-in fails if the keychain cannot store the key', async () => {
    const world = await openWorld(server());
    const { key } = await server().account();
    world.native.broken.keychain = new Error('locked');
    await expect(world.handlers.signIn({ key })).rejects.toThrow('keychain');
    expect(world.signInState()).toEqual({ is: 'signed-out' });
  });

  it('signing out deletes the key, and watched folders wait for the next sign-in', async () => {
    const { world, id } = await openWatched(server());
    await world.handlers.signOut();
    expect(world.native.keys.size).toBe(0);
    expect(world.signInState()).toEqual({ is: 'signed-out' });
    await world.until(id, 'signed-out');
    await expect(world.handlers.publishFolder({ id })).rejects.toMatchObject({ kind: 'signed-out' });
    await world.reopen();
    expect(world.folder(id).state).toEqual({ is: 'signed-out' });
  });

  it('a revoked key is reported once, and watched folders resume after the next sign-in', async () => {
    const { world, key, id, url } = await openWatched(server());
    const newKey = await addKey(key);
    world.native.focused = false;
    const { tokens } = await apiOf(key).tokens.list.query({});
    await apiOf(key).tokens.delete.mutate({ token: tokens.at(-1)!.token });
    world.build('dist', { 'index.html': 'two' });
    await world.until(id, 'signed-out');
    await eventually(() =>
      expect(world.signInState()).toMatchObject({ is: 'refused', email: expect.stringContaining('@') }),
    );
    expect((await server().visit(url!)).text).toBe('one');
    world.accounts.setOnline(false);
    world.accounts.setOnline(true);
    expect(world.native.notes.map(({ title }) => title)).toEqual(['Sign in again']);
    await expect(world.handlers.signIn({ key })).rejects.toThrow('does not know this key');

    await world.handlers.signIn({ key: newKey });
    await world.untilPublished(id, 'two');
  });

  it('a new key of the same account is used for all requests, including those of watched folders', async () => {
    const { world, key, id } = await openWatched(server());
    const newKey = await addKey(key);
    await world.handlers.signIn({ key: newKey });
    await world.until(id, 'live');
    world.sent.length = 0;
    await world.rebuild(id, 'two');
    expect(new Set(world.sent.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${newKey}`]));
  });

  it('an account is shown as unreachable while its server is down, and is checked again automatically', async () => {
    const { world } = await openSignedInWorld(server());
    world.isDown = true;
    await expect(world.handlers.refreshAccount()).rejects.toMatchObject({ kind: 'network' });
    expect(world.signInState()).toMatchObject({
      is: 'unreachable',
      message: expect.stringContaining('cannot be reached'),
    });
    world.isDown = false;
    await eventually(() => expect(world.signInState().is).toBe('signed-in'));
  });

  it('refreshAccount updates the usage of the account', async () => {
    const { world, key } = await openSignedInWorld(server());
    await server().publish({ 'index.html': 'one' }, { key });
    await world.handlers.refreshAccount();
    expect(world.signInState()).toMatchObject({ account: { usage: { deployments: 1 } } });
  });
});

describe('the list of servers', () => {
  it('accepts a server that responds as a Berth server, and makes it the current server', async () => {
    const world = await openWorld(server());
    const address = `localhost:${secondServer().port}`;
    expect(await world.handlers.addServer({ address })).toEqual({ origin: `http://${address}` });
    expect(world.accounts.session()).toMatchObject({
      current: `http://${address}`,
      servers: [{ origin: world.origin }, { origin: `http://${address}`, signIn: { is: 'signed-out' } }],
    });
    await world.reopen();
    expect(world.accounts.session().current).toBe(`http://${address}`);
    const { chooseServer } = world.handlers;
    await chooseServer({ origin: world.origin });
    expect(world.accounts.session().current).toBe(world.origin);
    await expect(chooseServer({ origin: 'https://other.example' })).rejects.toThrow('Add it first');
  });

  it('does not accept an address where no Berth server responds', async () => {
    const world = await openWorld(server());
    const address = await startAnswering((_req, res) =>
      res.setHeader('content-type', 'application/json').end('{"result":{"data":{}}}'),
    );
    await expect(world.handlers.addServer({ address })).rejects.toThrow('not a Berth server');
    await expect(world.handlers.addServer({ address: 'localhost:1' })).rejects.toMatchObject({
      kind: 'network',
    });
    expect(world.accounts.session().servers).toHaveLength(1);
  });

  it('stores the address to which an added server redirects', async () => {
    const world = await openWorld(server());
    const origin = `http://localhost:${secondServer().port}`;
    const address = await startAnswering((req, res) => res.writeHead(302, { location: origin + req.url }).end());
    expect(await world.handlers.addServer({ address })).toEqual({ origin });
  });

  it('can contain several servers, and each server receives only its own key', async () => {
    const world = await openWorld(server());
    const { key: first } = await world.signIn();
    const { origin } = await world.handlers.addServer({ address: `localhost:${secondServer().port}` });
    const { key } = await secondServer().account();
    await expect(world.handlers.signIn({ key: first })).rejects.toThrow('does not know');
    world.sent.length = 0;
    await world.handlers.signIn({ key });
    await world.reopen();
    await eventually(() =>
      expect(world.accounts.session().servers.map(({ signIn }) => signIn.is)).toEqual(['signed-in', 'signed-in']),
    );
    await world.handlers.listSites({});
    const keysSentTo = (to: string) =>
      new Set(world.sent.filter(({ origin }) => origin === to).map((one) => one.authorization));
    expect(keysSentTo(world.origin)).toEqual(new Set([`Bearer ${first}`]));
    expect(keysSentTo(origin)).toEqual(new Set([`Bearer ${key}`]));
  });

  it('can be lost; a server that is added again is signed in with its key from the keychain', async () => {
    const world = await openWorld(server());
    const { key, account } = await secondServer().account();
    world.native.keys.set(`http://localhost:${secondServer().port}`, key);
    const { origin } = await world.handlers.addServer({ address: `localhost:${secondServer().port}` });
    await eventually(() => expect(world.signInState(origin)).toMatchObject({ is: 'signed-in', account: { account } }));
  });

  it('keeps one server when all are removed at the same time, and always contains the current server', async () => {
    const world = await openWorld(server());
    const { origin } = await world.handlers.addServer({ address: `localhost:${secondServer().port}` });
    const currents = new Set<boolean>();
    world.accounts.onChange(() => {
      const { servers, current } = world.accounts.session();
      currents.add(servers.some((one) => one.origin === current));
    });
    const removals = [world.origin, origin].map((one) => world.handlers.removeServer({ origin: one }));
    expect((await Promise.allSettled(removals)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(world.accounts.session()).toMatchObject({ current: origin, servers: [{ origin }] });
    expect(currents).toEqual(new Set([true]));
  });

  it('can lose a server during its sign-in; then the keychain keeps no key of this server', async () => {
    const world = await openWorld(server());
    const { origin } = await world.handlers.addServer({ address: `localhost:${secondServer().port}` });
    const { key } = await secondServer().account();
    const keyWrite = stopAtWrite(world.native);
    const signingIn = world.handlers.signIn({ key });
    await keyWrite.reached;
    const removal = world.handlers.removeServer({ origin });
    keyWrite.letGo();
    await Promise.allSettled([signingIn, removal]);
    expect(world.accounts.session().servers).toHaveLength(1);
    expect([...world.native.keys.keys()]).toEqual([]);
  });

  it('contains a server with a Retry-After of several weeks, which is retried after one day', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const fetch = vi.fn<typeof globalThis.fetch>(async () =>
      Response.json(
        { error: 'unavailable', message: 'Later.' },
        { status: 503, headers: { 'retry-after': '3000000' } },
      ),
    );
    const knownServer = new KnownServer({
      origin: 'https://berth.example',
      key: UNKNOWN_KEY,
      email: null,
      account: null,
      fetch,
      pauses: { firstMs: 10, longestMs: 10 },
      onChange: () => {},
    });
    onTestFinished(() => knownServer.close());
    await expect(knownServer.check()).rejects.toMatchObject({ retryAfterSeconds: 3_000_000 });
    await vi.advanceTimersByTimeAsync(86_399_000);
    expect(fetch).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  it('never becomes empty; removing a server deletes its key and pauses its folders', async () => {
    const { world, id } = await openWatched(server());
    await expect(world.handlers.removeServer({ origin: world.origin })).rejects.toThrow('only server');
    const { origin } = await world.handlers.addServer({ address: `localhost:${secondServer().port}` });
    await world.handlers.removeServer({ origin: world.origin });
    expect(world.accounts.session()).toMatchObject({ current: origin, servers: [{ origin }] });
    expect(world.native.keys.size).toBe(0);
    expect((await world.until(id, 'paused')).state).toEqual({ is: 'paused', why: 'asked' });
    await expect(world.handlers.resumeFolder({ id })).rejects.toThrow('Add it first');
  });
});

it('the app writes no key and no password into a file (T40)', async () => {
  const password = 'correct-horse-battery';
  const { world, key, id } = await openWatched(server(), { password });
  await world.close();
  expect([...world.native.keys.values()].toSorted()).toEqual([password, key].toSorted());
  const files = [world.dataDir, join(world.home, 'cache')]
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  expect(files.length).toBeGreaterThanOrEqual(3);
  expect(files.some((text) => text.includes(id))).toBe(true);
  for (const text of files)
    for (const secret of [key, key.slice(5), password, btoa(key), btoa(password)]) expect(text).not.toContain(secret);
});
