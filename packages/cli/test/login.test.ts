import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { startAnswering } from '@berth/testing/fake-servers';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Outcome, createUser, writeFiles } from './user.ts';

const server = useServer();
let url: string;
beforeAll(() => void (url = `http://localhost:${server().port}`));

const fileOf = (home: string) => join(home, '.config/berth/config.json');

/** Creates a user and signs in with a key. */
async function signedIn(key = OWNER_KEY) {
  const person = createUser();
  const outcome = await person.runProgramWithInput(`${key}\n`, 'login', '--server', url);
  return { ...person, outcome };
}

describe('berth login', () => {
  it('stores the key in a file that only its owner can read, and later commands use the key', async () => {
    const { home, outcome, runProgram } = await signedIn();
    const file = fileOf(home);
    const out = `Signed in to ${url} as owner@localhost. The key is stored in ${file}.\n`;
    expect(outcome).toEqual({ code: 0, out, err: '' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ server: url, keys: { [url]: OWNER_KEY } });
    const account = `owner@localhost on ${url}, from the stored key\n`;
    expect(await runProgram('whoami')).toEqual({ code: 0, out: account, err: '' });
  });

  it('gets a key after a person has approved it in the browser', async () => {
    const opened: string[] = [];
    const prompt = {
      code: 'BCDF-GHJK',
      page: `${url}/device`,
      pageWithCode: `${url}/device?code=BCDF-GHJK`,
      expires: new Date(),
    };
    const person = createUser(
      { BERTH_SERVER: url },
      {
        openPage: async (page) => void opened.push(page),
        requestKey: async ({ client, program, onPrompt }) => {
          expect([client.server.href, client.key, program]).toEqual([`${url}/`, null, 'berth-cli']);
          onPrompt(prompt);
          return OWNER_KEY;
        },
      },
    );
    const { code, out, err } = await person.runOnTerminal([], 'login');
    expect([code, out]).toEqual([0, expect.stringContaining('as owner@localhost. The key is stored')]);
    expect(err).toContain(`Open ${url}/device in a browser and enter this code:\n\n  BCDF-GHJK\n`);
    expect(opened).toEqual([prompt.pageWithCode]);
    expect(readFileSync(fileOf(person.home), 'utf8')).toContain(OWNER_KEY);
    const withoutTerminal = await person.runInProcess('login');
    expect(withoutTerminal).toMatchObject({ code: 0, err: expect.stringContaining('  BCDF-GHJK\n') });
    expect(opened).toHaveLength(1);
  });

  it('accepts a key that is pasted while it waits for the approval', async () => {
    let wasStopped = false;
    const person = createUser(
      { BERTH_SERVER: url },
      {
        openPage: async () => {},
        requestKey: ({ onPrompt, signal }) => {
          onPrompt({ code: 'BCDF-GHJK', page: url, pageWithCode: url, expires: new Date() });
          return new Promise((_, reject) =>
            signal!.addEventListener('abort', () => ((wasStopped = true), reject(signal!.reason as Error))),
          );
        },
      },
    );
    const { code, asked } = await person.runOnTerminal([OWNER_KEY], 'login');
    expect([code, asked]).toEqual([0, ['Waiting. You can also paste an API key here: ']]);
    expect(wasStopped).toBe(true);
  });

  it('asks for a key if the server cannot ask a person in the browser', async () => {
    const person = createUser({ BERTH_SERVER: url }, { requestKey: async () => null });
    const { code, asked } = await person.runOnTerminal([OWNER_KEY], 'login');
    expect([code, asked]).toEqual([0, ['API key: ']]);
  });

  it('accepts a deploy token', async () => {
    const { deployToken } = await server().account();
    const { outcome, runInProcess } = await signedIn(deployToken);
    expect(outcome).toMatchObject({ code: 0, out: expect.stringContaining('with a deploy token') });
    expect((await runInProcess('whoami')).out).toBe(`a deploy token on ${url}, from the stored key\n`);
  });

  it.each([
    [
      'a key that the server does not accept',
      `ship-${'f'.repeat(32)}`,
      3,
      /^Error: http:\S+ does not accept this key\.\nA key is valid for one server only\. Set that server with --server\.$/m,
    ],
    ['an invalid key', 'hunter2', 2, /The key is invalid/],
    ['an empty key', '', 2, /The key is empty/],
  ])('refuses %s, and stores nothing', async (_, key, code, expectedError) => {
    const { home, outcome } = await signedIn(key);
    expect(outcome).toMatchObject({ code, out: '', err: expect.stringMatching(expectedError) });
    expect(() => statSync(fileOf(home))).toThrow('ENOENT');
  });

  it('makes the settings readable only by their owner, even if others could read them before', async () => {
    const { home, runProgramWithInput, runInProcess } = createUser();
    writeFiles(home, { '.config/berth/config.json': JSON.stringify({ server: 'http://localhost:4000' }) });
    await runProgramWithInput(`${OWNER_KEY}\n`, 'login', '--server', url);
    expect(statSync(fileOf(home)).mode & 0o777).toBe(0o600);
    await runInProcess('config', 'set', 'server', url);
    expect(statSync(fileOf(home)).mode & 0o777).toBe(0o600);
  });
});

it('berth never sends a stored key to another server', async () => {
  const sentKeys: (string | undefined)[] = [];
  const otherServer = await startAnswering((req, res) => {
    sentKeys.push(req.headers.authorization);
    res.writeHead(404).end('{}');
  });
  const { runInProcess } = await signedIn();
  await runInProcess('account', '--server', otherServer);
  expect(sentKeys).toEqual([undefined]);
});

it('berth prints no key in any command', async () => {
  const { home, runInProcess, outcome, runProgram } = await signedIn();
  const dist = writeFiles(join(home, 'dist'), { 'index.html': 'hi' });
  const outcomes: Outcome[] = [
    outcome,
    await runProgram(dist),
    await runProgram('account', '--server', 'http://127.0.0.1:9'),
  ];
  for (const more of [['--json'], ['--dry-run'], ['--domain', 'no such domain']])
    outcomes.push(await runInProcess(dist, ...more));
  for (const words of ['whoami', 'config', 'account', 'tokens', 'activities', 'deployments get ship-00000', 'logout'])
    for (const more of [[], ['--json']]) outcomes.push(await runInProcess(...words.split(' '), ...more));
  expect(outcomes.map(({ out, err }) => out + err).join('')).not.toContain(OWNER_KEY.slice(5));
});

describe('berth logout', () => {
  it('deletes the stored key of one server', async () => {
    const { home, runInProcess } = await signedIn();
    expect((await runInProcess('logout')).out).toBe(`Deleted the key for ${url}.\n`);
    expect(JSON.parse(readFileSync(fileOf(home), 'utf8'))).toEqual({ server: url, keys: {} });
    expect((await runInProcess('logout')).out).toBe(`No key was stored for ${url}.\n`);
    expect((await runInProcess('whoami')).code).toBe(3);
  });
});

describe('the chosen server', () => {
  it('comes from the option, BERTH_SERVER, the settings or the default, in this order', async () => {
    const { env, runInProcess } = createUser();
    const said = async (...words: string[]) => (await runInProcess('config', ...words)).out.split('\n')[0];
    expect(await said()).toMatch(/^server +http:\/\/localhost:4000 +default$/);
    await runInProcess('config', 'set', 'server', 'https://one.example/');
    expect(await said()).toMatch(/^server +https:\/\/one\.example +settings$/);
    env['BERTH_SERVER'] = 'https://two.example';
    expect(await said()).toMatch(/^server +https:\/\/two\.example +environment$/);
    expect(await said('--server', 'https://three.example')).toMatch(/^server +https:\/\/three\.example +option$/);
    expect((await runInProcess('config', 'get', 'server')).out).toBe('https://two.example\n');
  });

  it.each([
    ['localhost:4710', 'http://localhost:4710'],
    ['127.0.0.1:4710', 'http://127.0.0.1:4710'],
    ['[::1]:4710', 'http://[::1]:4710'],
    ['api.example.com', 'https://api.example.com'],
    ['localhost.example.com/berth/', 'https://localhost.example.com/berth'],
  ])('can be the host %s without a scheme', async (host, address) => {
    const { env, runInProcess } = createUser({ BERTH_SERVER: host });
    expect((await runInProcess('config', 'get', 'server')).out).toBe(`${address}\n`);
    delete env['BERTH_SERVER'];
    await runInProcess('config', 'set', 'server', host);
    expect((await runInProcess('config', 'get', 'server')).out).toBe(`${address}\n`);
  });

  it('cannot be set to an invalid address', async () => {
    const { home, runInProcess } = createUser();
    for (const address of [
      'me:secret@api.example.com',
      'mailto:me@api.example.com',
      'ftp://api.example.com',
      'https://me:secret@api.example.com',
      '',
    ])
      expect(await runInProcess('config', 'set', 'server', address)).toMatchObject({ code: 2, out: '' });
    expect(() => statSync(fileOf(home))).toThrow('ENOENT');
  });
});
