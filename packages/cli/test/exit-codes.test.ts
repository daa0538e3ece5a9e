import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EXIT_MEANINGS } from '../src/exit-codes.ts';
import { outcomeOf, type TestUser, createUser, writeFiles } from './user.ts';

const server = useServer();

const here = () => ({ BERTH_SERVER: `http://localhost:${server().port}`, BERTH_KEY: OWNER_KEY });

/** Starts a server that answers all requests in the same way, or receives them and never answers. */
async function startAnswering(
  answer: (req: IncomingMessage, res: ServerResponse) => void,
): Promise<Server & { url: string }> {
  const other = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => void other.close().closeAllConnections());
  await once(other, 'listening');
  return Object.assign(other, { url: `http://127.0.0.1:${(other.address() as AddressInfo).port}` });
}

const startRefusing = (status: number, body: object, headers = {}) =>
  startAnswering((req, res) => {
    req.resume();
    res.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
  });

const failed = (error: string, status: number, message: string) => ({
  error: { message, code: -32603, data: { error, message, status } },
});

async function countDeployments(): Promise<unknown> {
  const [row] = await server().database.query('select count(*) from deployment');
  return row!['count'];
}

interface Case {
  title: string;
  code: number;
  /** Must match the message. */
  expectedError: RegExp;
  /** @returns The arguments of the command. */
  args: (person: TestUser) => string[] | Promise<string[]>;
  env?: Record<string, string>;
  /** Set if an argument is a folder relative to the home. */
  isWord?: true;
}

const CASES: Case[] = [
  {
    title: 'an unknown option, and suggests a similar one',
    code: 2,
    expectedError: /^Error: unknown option '--domian'\. Did you mean --domain\?$/m,
    args: ({ home }) => [join(home, 'dist'), '--domian', 'blog'],
  },
  {
    title: 'a word that is neither a folder nor a command, and suggests a similar command',
    code: 2,
    expectedError: /"deploymnts"\. Did you mean berth deployments\?/,
    args: () => ['deploymnts'],
  },
  {
    title: 'an unknown verb, and suggests a similar one',
    code: 2,
    expectedError: /no command "berth domains vrify"\. Did you mean berth domains verify\?/,
    args: () => ['domains', 'vrify', 'www.example.com'],
  },
  {
    title: 'an unknown command, and suggests a similar one',
    code: 2,
    expectedError: /no command "wach"\. Did you mean berth watch\?/,
    args: ({ home }) => ['wach', join(home, 'dist')],
  },
  {
    title: 'a command of other programs, and suggests the equivalent one',
    code: 2,
    expectedError: /no command "deploy"\. Did you mean berth publish\?/,
    args: ({ home }) => ['deploy', join(home, 'dist')],
  },
  ...['logs', 'dev', 'env', 'list', 'build', 'test', 'init', 'deploy', 'ls', 'rm', 'rollback'].map((word) => ({
    title: `${word}, a command of other tools, even if a folder with a front page has this name, and says how to publish that`,
    code: 2,
    expectedError: new RegExp(
      `^Error: There is no command "${word}"\\..* Use berth \\./${word} to publish the folder\\.$`,
      'm',
    ),
    args: ({ home }: TestUser) => (writeFiles(home, { [`${word}/index.html`]: 'secret' }), [word]),
    isWord: true as const,
  })),
  {
    title: 'a command of other tools if no folder has this name, and suggests the equivalent one',
    code: 2,
    expectedError: /^Error: There is no command "logs"\. Did you mean berth activities\?$/m,
    args: () => ['logs'],
  },
  {
    title: 'a command of other tools with an option, and suggests the equivalent one',
    code: 2,
    expectedError: /^Error: There is no command "logs"\. Did you mean berth activities\?$/m,
    args: () => ['logs', '--follow'],
  },
  {
    title: 'a command of other tools with an argument, and suggests the equivalent one',
    code: 2,
    expectedError: /^Error: There is no command "rollback"\. Did you mean berth domains set\?$/m,
    args: () => ['rollback', 'calm-otter-4k9x2qd'],
  },
  {
    title: 'a word that is a folder without a front page, and says how to publish it',
    code: 2,
    expectedError: /^Error: The folder "assets" has no index\.html\. Use berth \.\/assets to publish it anyway\.$/m,
    args: ({ home }) => (writeFiles(home, { 'assets/key.txt': 'secret' }), ['assets']),
    isWord: true,
  },
  ...['', '   ', '12345', 'x'.repeat(129)].flatMap((password) =>
    ['publish', 'watch'].map((command) => ({
      title: `the password ${JSON.stringify(password).slice(0, 9)} of ${command}, which publishes nothing`,
      code: 2,
      expectedError:
        password.trim() === '' ? /The password is empty\. Use 6 to 128 characters, or omit --password/ : /6 to 128/,
      args: ({ home }: TestUser) => [command, join(home, 'dist'), '-p', password],
    })),
  ),
  ...['publish', 'watch'].map((command) => ({
    title: `an empty BERTH_PASSWORD of ${command}, which publishes nothing`,
    code: 2,
    expectedError: /The password is empty\. Use 6 to 128 characters, or omit BERTH_PASSWORD/,
    args: ({ home }: TestUser) => [command, join(home, 'dist')],
    env: { BERTH_PASSWORD: '' },
  })),
  {
    title: 'an empty password typed at the question',
    code: 2,
    expectedError: /The password is empty/,
    args: ({ home }) => [join(home, 'dist'), '-p', '-'],
  },
  {
    title: 'two folders',
    code: 2,
    expectedError: /too many arguments/,
    args: ({ home }) => [join(home, 'dist'), join(home, 'dist')],
  },
  {
    title: 'a missing argument',
    code: 2,
    expectedError: /missing required argument/,
    args: () => ['tokens', 'delete'],
  },
  {
    title: 'a time without a unit',
    code: 2,
    expectedError: /Write a number and a unit, such as 90s/,
    args: ({ home }) => [join(home, 'dist'), '--ttl', '3'],
  },
  {
    title: 'a time to live together with a domain',
    code: 2,
    expectedError: /cannot be used with option/,
    args: ({ home }) => [join(home, 'dist'), '--ttl', '3d', '--domain', 'blog'],
  },
  {
    title: 'an invalid address',
    code: 2,
    expectedError: /"localhost:4000" is not a server address. It must be like http:\/\/localhost:4000\./,
    args: () => ['account', '--server', 'localhost:4000'],
  },
  {
    title: 'damaged settings, and names their file',
    code: 2,
    expectedError: /The settings in .+config\.json are damaged/,
    args: ({ home }) => {
      writeFiles(home, { '.config/berth/config.json': '{"server":' });
      return ['account'];
    },
  },
  {
    title: 'a missing key, and says how to sign in',
    code: 3,
    expectedError: /^Error: You are not signed in to http:.+\.\nSign in with berth login, or set BERTH_KEY\.$/m,
    args: () => ['deployments'],
    env: { BERTH_KEY: '' },
  },
  {
    title: 'a key that is not accepted, and says where it comes from',
    code: 3,
    expectedError: /The key in BERTH_KEY is not valid for this server\./,
    args: ({ home }) => [join(home, 'dist')],
    env: { BERTH_KEY: `ship-${'f'.repeat(32)}` },
  },
  {
    title: 'a domain without an account',
    code: 3,
    expectedError: /A domain needs an API key/,
    args: ({ home }) => [join(home, 'dist'), '--domain', 'blog'],
    env: { BERTH_KEY: '' },
  },
  {
    title: 'watching without an account',
    code: 3,
    expectedError: /berth login/,
    args: ({ home }) => ['watch', join(home, 'dist')],
    env: { BERTH_KEY: '' },
  },
  {
    title: 'a deploy token without permission for the command',
    code: 3,
    expectedError: /A deploy token can only deploy/,
    args: async (person) => {
      person.env['BERTH_KEY'] = (await server().account()).deployToken;
      return ['account'];
    },
  },
  {
    title: 'a deploy token together with a domain',
    code: 3,
    expectedError: /A domain needs an API key[^]*A deploy token can only deploy/,
    args: async (person) => {
      person.env['BERTH_KEY'] = (await server().account()).deployToken;
      return [join(person.home, 'dist'), '--domain', 'blog'];
    },
  },
  {
    title: 'a suspended account, without a useless hint',
    code: 3,
    expectedError: /^Error: The account is suspended\.\n$/,
    args: async () => {
      const { url } = await startRefusing(403, failed('forbidden', 403, 'The account is suspended.'));
      return ['account', '--server', url];
    },
  },
  {
    title: 'a missing folder',
    code: 4,
    expectedError: /The folder .+\/build does not exist\./,
    args: ({ home }) => [join(home, 'build')],
  },
  {
    title: 'a file instead of a folder',
    code: 4,
    expectedError: /index\.html is a file/,
    args: ({ home }) => [join(home, 'dist/index.html')],
  },
  {
    title: 'a folder without files',
    code: 4,
    expectedError: /no file/,
    args: ({ home }) => [join(writeFiles(home, { 'empty/.DS_Store': '' }), 'empty')],
  },
  {
    title: 'a file that must not be published, and says which one and what to do',
    code: 4,
    expectedError: /^Error: .*setup\.exe.*\n.*setup\.exe, or exclude it with a line in \.berthignore\.$/m,
    args: ({ home }) => [join(writeFiles(home, { 'dist/files/setup.exe': 'MZ' }), 'dist')],
  },
  {
    title: 'a deployment that does not exist',
    code: 4,
    expectedError: /There is no such deployment\./,
    args: () => ['deployments', 'get', 'calm-otter-4k9x2qd'],
  },
  {
    title: 'a server that redirects, and names the address to use',
    code: 4,
    expectedError:
      /^Error: The server at .+ redirects to https:\/\/berth\.example\. .+\nUse --server https:\/\/berth\.example$/m,
    args: async () => {
      const { url } = await startAnswering((req, res) =>
        res.writeHead(308, { Location: `https://berth.example${req.url}` }).end(),
      );
      return ['account', '--server', url];
    },
  },
  {
    title: 'an internal error of the server',
    code: 1,
    expectedError: /Something went wrong on our side\.\nSee the log of the server for details\./,
    args: async () => {
      const { url } = await startRefusing(
        500,
        failed('internal_server_error', 500, 'Something went wrong on our side.'),
      );
      return ['account', '--server', url];
    },
  },
  {
    title: 'a server that cannot be reached, and says which one',
    code: 5,
    expectedError:
      /cannot be reached[^]*Is a Berth server running at http:\/\/127\.0\.0\.1:\d+\? To use another one, set --server/,
    args: async () => {
      const other = await startAnswering(() => {});
      other.close();
      return ['account', '--server', other.url];
    },
  },
  {
    title: 'a server that is busy, and says when to try again',
    code: 5,
    expectedError: /Too much at once\.\nTry again in 7 s\./,
    args: async () => {
      const { url } = await startRefusing(429, failed('rate_limit_exceeded', 429, 'Too much at once.'), {
        'Retry-After': '7',
      });
      return ['account', '--server', url];
    },
  },
];

/** Cases that the real program, which takes half a second to start, must end in the same way: one of each exit code and kind. */
const inProgram: ReadonlySet<string> = new Set(
  [...Map.groupBy(CASES, ({ code, isWord = false }) => `${code} ${isWord}`).values()].map(([first]) => first!.title),
);

/** Runs work in another current folder. */
async function inFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const before = process.cwd();
  process.chdir(folder);
  try {
    return await work();
  } finally {
    process.chdir(before);
  }
}

describe('the exit code', () => {
  it.each(CASES)('is $code for $title', async ({ title, code, expectedError, args, env, isWord }) => {
    const person = createUser({ ...here(), ...env });
    writeFiles(person.home, { 'dist/index.html': 'hi' });
    const words = await args(person);
    const before = await countDeployments();
    const runIt = (...more: string[]) => {
      const run = () => person.runInProcess(...words, ...more);
      return isWord ? inFolder(person.home, run) : run();
    };
    const outcome = await runIt();
    expect(outcome).toMatchObject({ code, out: '' });
    expect(outcome.err).toMatch(expectedError);

    const asJson = await runIt('--json');
    expect(asJson).toMatchObject({ code, out: '' });
    const { error } = JSON.parse(asJson.err);
    expect(error.exit).toBe(code);
    expect([...outcome.err.matchAll(/^Error: (.*)$/gm)].map(([, message]) => message)).toEqual([error.message]);

    if (inProgram.has(title)) {
      expect(await person.runProgram(...words)).toEqual(outcome);
      expect(await person.runProgram(...words, '--json')).toEqual(asJson);
    }
    expect(await countDeployments()).toBe(before);
  });

  it.each([
    ['a list', ['account']],
    ['a deploy', ['./dist']],
  ])('is 130 immediately after Ctrl-C while %s waits for the server', async (_, words) => {
    const requestReceived = Promise.withResolvers<void>();
    const { url } = await startAnswering(() => requestReceived.resolve());
    const person = createUser(here());
    writeFiles(person.home, { 'dist/index.html': 'hi' });
    const child = person.startProgram(...words, '--server', url);
    await requestReceived.promise;
    child.kill('SIGINT');
    expect(await outcomeOf(child)).toEqual({
      code: 130,
      out: '',
      err: expect.stringMatching(/Error: Interrupted\.\n$/),
    });
  });

  it('is 0 for help and version, and 2 without arguments, with the help on standard error', async () => {
    const person = createUser();
    expect(await person.runInProcess('--help')).toMatchObject({ code: 0, err: '' });
    expect(await person.runInProcess('help', 'domains')).toMatchObject({ code: 0, err: '' });
    expect((await person.runInProcess('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await person.runInProcess()).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('Usage: berth'),
    });
  });

  it('is 0 if the reader of the output closes the pipe early', async () => {
    const child = createUser().startProgram('--help');
    child.stdout.destroy();
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  });

  it('is explained in the help for each number', async () => {
    const { out } = await createUser().runInProcess('--help');
    for (const [code, meaning] of EXIT_MEANINGS) expect(out).toMatch(new RegExp(`^ +${code} +${meaning}$`, 'm'));
  });
});
