import { once } from 'node:events';
import { useServer } from '@berth/testing/use-server';
import { startAnswering, unreachableAddress } from '@berth/testing/fake-servers';
import { describe, expect, it } from 'vitest';
import { EXIT_MEANINGS } from '../src/exit-codes.ts';
import { createUser, envOf, inFolder, outcomeOf, writeFiles } from './user.ts';

const server = useServer();

/** Starts a server that answers every request with an error. @returns A command line for it. */
const startRefusing = (error: string, status: number, message: string, details?: object) => async () => {
  const body = JSON.stringify({ error: { message, code: -32603, data: { error, message, status, details } } });
  const headers = { 'Content-Type': 'application/json', ...(status === 429 && { 'Retry-After': '7' }) };
  return `account --server ${await startAnswering((req, res) => (req.resume(), res.writeHead(status, headers).end(body)))}`;
};

const deployToken = async () => ({ BERTH_KEY: (await server().account()).deployToken });

async function countDeployments(): Promise<unknown> {
  const [row] = await server().database.query('select count(*) from deployment');
  return row!['count'];
}

/** Commands of other tools. The home folder contains a folder with a front page for each of these names. */
const FOREIGN_FOLDERS = ['dev', 'env', 'list', 'build', 'test', 'deploy', 'ls', 'rm'];

/** The files in the home folder of each case, which is also the working folder. */
const HOME = {
  'dist/index.html': 'hi',
  'assets/key.txt': 'secret',
  'empty/.DS_Store': '',
  'programs/files/setup.exe': 'MZ',
  'damaged/berth/config.json': '{"server":',
  ...Object.fromEntries(FOREIGN_FOLDERS.map((word) => [`${word}/index.html`, 'secret'])),
};

type Env = Record<string, string>;
/** A case: the exit code, a title, the arguments as words or as one text, and a pattern that the error must match. */
type Case = [
  code: number,
  title: string,
  args: string | string[] | (() => Promise<string>),
  error: RegExp,
  env?: Env | (() => Promise<Env>),
];

const EMPTY_PASSWORD = /The password is empty\. Use 6 to 128 characters, or omit --password/;
const EMPTY_VARIABLE = /The password is empty\. Use 6 to 128 characters, or omit BERTH_PASSWORD/;
const NO_KEY = { BERTH_KEY: '' };
const WRONG_KEY = { BERTH_KEY: `ship-${'f'.repeat(32)}` };
const PASSWORDS: [password: string, error: RegExp][] = [
  ['', EMPTY_PASSWORD],
  ['   ', EMPTY_PASSWORD],
  ['12345', /6 to 128/],
  ['x'.repeat(129), /6 to 128/],
];

const CASES: Case[] = [
  [2, 'an unknown option', './dist --domian blog', /^Error: unknown option '--domian'\. Did you mean --domain\?$/m],
  [2, 'an unknown option of a subcommand', 'domains set a --labels b', /^For help: berth domains set --help$/m],
  [2, 'a folder with an unknown option', './dist --nonsense', /^For help: berth --help$/m],
  [2, 'a mistyped command', 'deploymnts', /"deploymnts"\. Did you mean berth deployments\?/],
  [2, 'an unknown verb', 'domains vrify a.com', /"berth domains vrify"\. Did you mean berth domains verify\?/],
  [2, 'a mistyped command with arguments', 'wach ./dist', /no command "wach"\. Did you mean berth watch\?/],
  [2, 'a command of other tools', 'logs', /^Error: There is no command "logs"\. Did you mean berth activities\?$/m],
  [2, 'one with an option', 'logs --follow', /^Error: There is no command "logs"\. Did you mean berth activities\?$/m],
  [2, 'one with a folder', 'deploy ./dist', /no command "deploy"\. Did you mean berth publish\?/],
  [2, 'one with an id', 'promote calm-otter-4k9x2qd', /command "promote"\. Did you mean berth domains set\?$/m],
  ...FOREIGN_FOLDERS.map((word): Case => {
    const error = `^Error: There is no command "${word}"\\..* Use berth \\./${word} to publish the folder\\.$`;
    return [2, `${word}, a command of other tools, even if it is also a folder`, word, new RegExp(error, 'm')];
  }),
  [2, 'a folder without a front page', 'assets', /no index\.html\. Use berth \.\/assets to publish it anyway\.$/m],
  ...['publish', 'watch'].flatMap((command): Case[] => [
    ...PASSWORDS.map(([password, error]): Case => {
      const title = `the password ${JSON.stringify(password).slice(0, 9)} of ${command}`;
      return [2, title, [command, './dist', '-p', password], error];
    }),
    [2, `an empty BERTH_PASSWORD of ${command}`, `${command} ./dist`, EMPTY_VARIABLE, { BERTH_PASSWORD: '' }],
  ]),
  [2, 'an empty password typed at the question', './dist -p -', /The password is empty/],
  [2, 'a repeated domain', './dist -d a --domain b', /^Error: option '-d, --domain <name>' can be set only once\./],
  [
    2,
    'a repeated server',
    'account -s http://a.example -s http://b.example',
    /'-s, --server <url>' can be set only once/,
  ],
  [2, 'two folders', './dist ./dist', /too many arguments/],
  [2, 'a deployment instead of a domain', 'rollback calm-otter-4k9x2qd', /berth rollback <domain> --to calm-otter/],
  [2, 'a missing domain', 'versions', /Name it, as in "berth versions blog", or add "domain" to berth\.json\./],
  [2, 'deleting without a question or --yes', 'prune', /add --yes to delete, or --dry-run to list only\./],
  [2, 'a missing argument', 'tokens delete', /missing required argument/],
  [2, 'a time without a unit', './dist --ttl 3', /Write a number and a unit, such as 90s/],
  [2, 'a time to live together with a domain', './dist --ttl 3d --domain blog', /cannot be used with option/],
  [2, 'an invalid address', 'account --server ftp://localhost', /is not a server address. It must be like http:\/\//],
  [2, 'damaged settings', 'account', /The settings in .+config\.json are damaged/, { XDG_CONFIG_HOME: 'damaged' }],
  [3, 'a missing key', 'deployments', /^Error: You are not signed in to http:.+\.\nSign in with berth login/m, NO_KEY],
  [3, 'a key that is not accepted', './dist', /The key in BERTH_KEY is not valid/, WRONG_KEY],
  [3, 'a domain without an account', './dist --domain blog', /A domain needs an API key/, NO_KEY],
  [3, 'watching without an account', 'watch ./dist', /berth login/, NO_KEY],
  [3, 'a deploy token without permission', 'account', /A deploy token can only deploy/, deployToken],
  [3, 'a deploy token with a domain', './dist --domain blog', /API key[^]*A deploy token can only deploy/, deployToken],
  [
    3,
    'a suspended account, without a useless hint',
    startRefusing('forbidden', 403, 'Suspended.'),
    /^Error: Suspended\.\n$/,
  ],
  [4, 'a missing folder', './nothing', /The folder \.\/nothing does not exist\./],
  [4, 'a file that is no HTML file', 'programs/files/setup.exe', /setup\.exe is not an HTML file/],
  [4, 'a folder without files', './empty', /no file/],
  [4, 'a program in the folder', './programs', /^Error: .*setup\.exe.*\n.*setup\.exe, or exclude it with a line in/m],
  [4, 'a deployment that does not exist', 'deployments get calm-otter-4k9x2qd', /There is no such deployment\./],
  [
    4,
    'a server that redirects, and names the address to use',
    async () =>
      `account --server ${await startAnswering((req, res) => void res.writeHead(308, { Location: `https://berth.example${req.url}` }).end())}`,
    /^Error: The server at .+ redirects to https:\/\/berth\.example\. .+\nUse --server https:\/\/berth\.example$/m,
  ],
  [
    4,
    'a server address with a path, and names the address without the path',
    async () => `account --server http://localhost:${server().port}/docs`,
    /^Is there a Berth server below \/docs\? Otherwise use --server http:\/\/localhost:\d+$/m,
  ],
  [
    1,
    'an internal error',
    startRefusing('internal_server_error', 500, 'Oh.'),
    /Oh\.\nSee the log of the server for details\./,
  ],
  [
    5,
    'a server that cannot be reached, and says which one',
    async () => `account --server ${await unreachableAddress()}`,
    /cannot be reached[^]*Is a Berth server running at http:\/\/127\.0\.0\.1:\d+\? To use another server, set --server/,
  ],
  [
    5,
    'a deploy to a server that cannot be reached, without waiting for the server',
    async () => `./dist --server ${await unreachableAddress()}`,
    /^Error: .+ cannot be reached: .+\nIs a Berth server running at http:\/\/127\.0\.0\.1:\d+\?/,
  ],
  [
    5,
    'a busy server, with the time to wait',
    startRefusing('rate_limit_exceeded', 429, 'Busy.'),
    /Busy\.\nTry again in 7 s\./,
  ],
];

/** The cases that also run the real program, which is slow to start: the first case of each exit code. */
const inProgram: ReadonlySet<string> = new Set(
  [...Map.groupBy(CASES, ([code]) => code).values()].map(([first]) => first![1]),
);

describe('the exit code', () => {
  it.each(CASES)('is %i for %s', async (code, title, args, expectedError, env = {}) => {
    const person = createUser({ ...envOf(server()), ...(typeof env === 'function' ? await env() : env) });
    writeFiles(person.home, HOME);
    const text = typeof args === 'function' ? await args() : args;
    const words = typeof text === 'string' ? text.split(' ') : text;
    const countBefore = await countDeployments();
    const outcome = await inFolder(person.home, () => person.runInProcess(...words));
    expect(outcome).toMatchObject({ code, out: '' });
    expect(outcome.err).toMatch(expectedError);

    const asJson = await inFolder(person.home, () => person.runInProcess(...words, '--json'));
    expect(asJson).toMatchObject({ code, out: '' });
    const { error } = JSON.parse(asJson.err);
    expect(error.exit).toBe(code);
    expect([...outcome.err.matchAll(/^Error: (.*)$/gm)].map(([, message]) => message)).toEqual([error.message]);

    if (inProgram.has(title)) {
      expect(await person.runProgram(...words)).toEqual(outcome);
      expect(await person.runProgram(...words, '--json')).toEqual(asJson);
    }
    expect(await countDeployments()).toBe(countBefore);
  });

  const fullPlan = startRefusing('forbidden', 403, 'The plan has 0 deployments.', {
    cap: 'deployments',
    used: 0,
    limit: 0,
  });
  it.each<[kind: string, title: string, args: () => Promise<string>, env: Env | (() => Promise<Env>)]>([
    ['signed-out', 'a missing key', async () => 'account', NO_KEY],
    ['signed-out', 'a key that is not valid', async () => 'account', WRONG_KEY],
    ['signed-out', 'a domain without a key', async () => 'publish . --domain blog', NO_KEY],
    ['forbidden', 'a deploy token', async () => 'account', deployToken],
    ['forbidden', 'a deploy token with a domain', async () => 'publish . --domain blog', deployToken],
    ['forbidden', 'a reached cap', fullPlan, {}],
  ])('is 3, and the kind of the error is "%s", for %s', async (kind, _, args, env) => {
    const person = createUser({ ...envOf(server()), ...(typeof env === 'function' ? await env() : env) });
    writeFiles(person.home, { 'index.html': 'hi' });
    const words = [...(await args()).split(' '), '--json'];
    const { code, err } = await inFolder(person.home, () => person.runInProcess(...words));
    expect({ code, error: JSON.parse(err).error }).toMatchObject({ code: 3, error: { kind, exit: 3 } });
  });

  it('is 3 for a reached cap, and the error says how to see the plan', async () => {
    const { err } = await createUser(envOf(server())).runInProcess(...(await fullPlan()).split(' '));
    expect(err).toMatch(
      /^Error: The plan has 0 deployments\.\nDelete old deployments with berth prune, or .+ To see your plan: berth account\n$/,
    );
  });

  it.each([
    ['a list', ['account']],
    ['a deploy', ['./dist']],
  ])('is 130 immediately after Ctrl-C while %s waits for the server', async (_, words) => {
    const requestReceived = Promise.withResolvers<void>();
    const url = await startAnswering(() => requestReceived.resolve());
    const person = createUser(envOf(server()));
    writeFiles(person.home, { 'dist/index.html': 'hi' });
    const child = person.startProgram(...words, '--server', url);
    await requestReceived.promise;
    child.kill('SIGINT');
    expect(await outcomeOf(child)).toEqual({
      code: 130,
      out: '',
      err: expect.stringMatching(/^(?:[^]*\n)?Interrupted\.\n$/),
    });
  });

  it('is 0 for help and version, and 2 with the help on standard error without arguments', async () => {
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

  it('has an explanation in the help for each number', async () => {
    const { out } = await createUser().runInProcess('--help');
    for (const [code, meaning] of EXIT_MEANINGS) expect(out).toMatch(new RegExp(`^ +${code} +${meaning}$`, 'm'));
  });
});
