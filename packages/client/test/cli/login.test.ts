import { createServer } from 'node:http';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { OWNER_KEY } from '@berth/api/testing';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Outcome, somebody, writeFiles } from './typed.ts';
import { useServer } from '@berth/api/testing/vitest';

const server = useServer();
let url: string;
beforeAll(() => {
  url = `http://localhost:${server().port}`;
});

const fileOf = (home: string) => join(home, '.config/berth/config.json');

/** Creates a user and signs in with a key. */
async function signedIn(key = OWNER_KEY) {
  const person = somebody();
  const outcome = await person.typesWith(`${key}\n`, 'login', '--server', url);
  return { ...person, outcome };
}

describe('berth login', () => {
  it('stores the key in a file that only its owner can read, and uses it from then on', async () => {
    const { home, outcome, types } = await signedIn();
    const file = fileOf(home);
    expect(outcome).toEqual({
      code: 0,
      out: `Signed in to ${url} as owner@localhost. Stored in ${file}.\n`,
      err: '',
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ server: url, keys: { [url]: OWNER_KEY } });
    expect(await types('whoami')).toEqual({ code: 0, out: `owner@localhost on ${url}, by the stored key\n`, err: '' });
  });

  it('accepts a deploy token', async () => {
    const { deployToken } = await server().account();
    const { outcome, runs } = await signedIn(deployToken);
    expect(outcome).toMatchObject({ code: 0, out: expect.stringContaining('with a deploy token') });
    expect((await runs('whoami')).out).toBe(`a deploy token on ${url}, by the stored key\n`);
  });

  it.each([
    [
      'a key that the server does not accept',
      `ship-${'f'.repeat(32)}`,
      3,
      /^Error: http:\S+ does not take this key\.\nA key is one of one server: name it with --server\.$/m,
    ],
    ['an invalid key', 'hunter2', 2, /This is no key/],
    ['an empty key', '', 2, /There is no key/],
  ])('refuses %s, and stores nothing', async (_, key, code, says) => {
    const { home, outcome } = await signedIn(key);
    expect(outcome).toMatchObject({ code, out: '', err: expect.stringMatching(says) });
    expect(() => statSync(fileOf(home))).toThrow('ENOENT');
  });

  it('makes the file private even if others could read it before', async () => {
    const { home, typesWith, runs } = somebody();
    writeFiles(home, { '.config/berth/config.json': JSON.stringify({ server: 'http://localhost:4000' }) });
    await typesWith(`${OWNER_KEY}\n`, 'login', '--server', url);
    expect(statSync(fileOf(home)).mode & 0o777).toBe(0o600);
    await runs('config', 'set', 'server', url);
    expect(statSync(fileOf(home)).mode & 0o777).toBe(0o600);
  });
});

it('berth never sends a stored key to another server', async () => {
  const sent: (string | undefined)[] = [];
  const other = createServer((req, res) => {
    sent.push(req.headers.authorization);
    res.writeHead(404).end('{}');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void other.close().closeAllConnections());
  await once(other, 'listening');
  const { runs } = await signedIn();
  await runs('account', '--server', `http://127.0.0.1:${(other.address() as AddressInfo).port}`);
  expect(sent).toEqual([undefined]);
});

it('berth prints no key in any command', async () => {
  const { home, runs, outcome, types } = await signedIn();
  const dist = writeFiles(join(home, 'dist'), { 'index.html': 'hi' });
  const outcomes: Outcome[] = [outcome, await types(dist), await types('account', '--server', 'http://127.0.0.1:9')];
  for (const words of [
    [dist, '--json'],
    [dist, '--dry-run'],
    [dist, '--domain', 'no such domain'],
    ['whoami'],
    ['whoami', '--json'],
    ['config'],
    ['config', '--json'],
    ['account'],
    ['tokens'],
    ['tokens', '--json'],
    ['activities'],
    ['deployments', 'get', OWNER_KEY.slice(0, 10)],
    ['logout'],
  ])
    outcomes.push(await runs(...words));
  expect(outcomes.map(({ out, err }) => out + err).join('')).not.toContain(OWNER_KEY.slice(5));
});

describe('berth logout', () => {
  it('deletes the stored key of one server', async () => {
    const { home, runs } = await signedIn();
    expect((await runs('logout')).out).toBe(`The key for ${url} is forgotten.\n`);
    expect(JSON.parse(readFileSync(fileOf(home), 'utf8'))).toEqual({ server: url, keys: {} });
    expect((await runs('logout')).out).toBe(`No key was stored for ${url}.\n`);
    expect((await runs('whoami')).code).toBe(3);
  });
});

describe('the chosen server', () => {
  it('comes from the option, BERTH_SERVER, the settings or the default, in this order', async () => {
    const { env, runs } = somebody();
    const said = async (...words: string[]) => (await runs('config', ...words)).out.split('\n')[0];
    expect(await said()).toMatch(/^server +http:\/\/localhost:4000 +default$/);
    await runs('config', 'set', 'server', 'https://one.example/');
    expect(await said()).toMatch(/^server +https:\/\/one\.example +settings$/);
    env['BERTH_SERVER'] = 'https://two.example';
    expect(await said()).toMatch(/^server +https:\/\/two\.example +environment$/);
    expect(await said('--server', 'https://three.example')).toMatch(/^server +https:\/\/three\.example +option$/);
    expect((await runs('config', 'get', 'server')).out).toBe('https://two.example\n');
  });

  it('cannot be set to an invalid address', async () => {
    const { home, runs } = somebody();
    for (const address of ['api.example.com', 'ftp://api.example.com', 'https://me:secret@api.example.com', ''])
      expect(await runs('config', 'set', 'server', address)).toMatchObject({ code: 2, out: '' });
    expect(() => statSync(fileOf(home))).toThrow('ENOENT');
  });
});
