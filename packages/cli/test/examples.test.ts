import { execFile, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Deployment } from '@berth/contract';
import { useServer } from '@berth/testing/use-server';
import { afterAll, describe, expect, it } from 'vitest';
import { createUser, envOf, MAIN, outcomeOf, writeFiles } from './user.ts';

const EXAMPLES = join(import.meta.dirname, '../../../examples');
const SITE = {
  'index.html': '<h1>It floats.</h1>',
  'docs/a page.html': 'with a space',
  'docs/über.html': 'with an umlaut',
  'empty.txt': '',
  '.env': 'SECRET=1',
};

interface Example {
  name: string;
  /** The programs that the example needs. A machine without them skips the example. */
  needs: string[];
  /** The command line without the folder. */
  command: () => string[];
  via: string;
}

const fileOf = (example: string) => join(EXAMPLES, example);

const CASES: Example[] = [
  { name: 'curl', needs: ['curl', 'md5sum'], command: () => [fileOf('curl/publish.sh')], via: 'curl' },
  { name: 'python', needs: ['python3'], command: () => ['python3', fileOf('python/publish.py')], via: 'python' },
  { name: 'rust', needs: ['rustc'], command: () => [builtRust()], via: 'rust' },
  { name: 'typescript', needs: [], command: () => [process.execPath, fileOf('typescript/publish.ts')], via: 'example' },
  { name: 'ci', needs: [], command: () => [fileOf('ci/publish.sh')], via: 'cli' },
];

let rustProgram: string | undefined;
/** The compiled Rust example. */
function builtRust(): string {
  if (rustProgram !== undefined) return rustProgram;
  const program = join(mkdtempSync(join(tmpdir(), 'berth-example-')), 'publish');
  const built = spawnSync('rustc', ['--edition', '2021', '-O', '-o', program, fileOf('rust/publish.rs')]);
  expect(String(built.stderr)).toBe('');
  return (rustProgram = program);
}
afterAll(() => {
  if (rustProgram !== undefined) rmSync(dirname(rustProgram), { recursive: true });
});

/** Whether a program runs. The shim of a tool that is not installed exists, but fails. */
const isHere = (program: string) => spawnSync(program, ['--version']).status === 0;

const server = useServer();

interface Ran {
  /** The exit code of a failed example; missing if the example succeeded. */
  code?: number;
  stdout: string;
  stderr: string;
  /** The folder that the example publishes. */
  folder: string;
}

/** Runs an example on a folder with the given files, or on a missing folder if `files` is `null`. */
async function run(
  { command }: Example,
  more: Record<string, string> = {},
  files: Record<string, string> | null = SITE,
): Promise<Ran> {
  const { home, env } = createUser({
    ...envOf(server()),
    BERTH: `${process.execPath} ${MAIN}`,
    ...more,
  });
  const folder = join(home, 'dist');
  if (files) mkdirSync(folder);
  writeFiles(folder, files ?? {});
  const [program, ...words] = [...command(), folder];
  const finishedProgram = promisify(execFile)(program!, words, { cwd: home, env });
  return { folder, ...(await finishedProgram.catch((error: Omit<Ran, 'folder'>) => error)) };
}

describe.each(CASES)('the example $name', (example) => {
  const isMissing = !example.needs.every(isHere);

  it.skipIf(isMissing)('publishes a folder without its secret files, and prints the link', async () => {
    const { stdout } = await run(example);
    expect(stdout).toMatch(/^http:\/\/\S+\n$/);
    const url = stdout.trim();
    const { files, via } = (await server().api(`/deployments/${new URL(url).hostname}`)).json<Deployment & object>();
    expect({ files, via }).toEqual({ files: Object.keys(SITE).length - 1, via: example.via });
    expect((await server().visit(url)).text).toBe(SITE['index.html']);
    expect((await server().visit(url, '/docs/a%20page.html')).text).toBe('with a space');
    expect((await server().visit(url, `/docs/${encodeURIComponent('über.html')}`)).text).toBe('with an umlaut');
  });

  it.skipIf(isMissing)('publishes without an account', async () => {
    const { stdout } = await run(example, { BERTH_KEY: '' });
    expect((await server().visit(stdout.trim())).text).toBe(SITE['index.html']);
  });

  it.skipIf(isMissing).each([
    ['a key that is refused', { BERTH_KEY: `ship-${'f'.repeat(32)}` }, SITE, /key|credential/i],
    ['a folder that does not exist', {}, null, /dist/],
    ['an empty folder', {}, {}, /There (?:is no file|are no files) to publish/],
  ])('fails for %s, and says why', async (_, more, files, reason) => {
    const { code, stdout, stderr } = await run(example, more, files);
    expect({ code, stdout }).toEqual({ code: expect.any(Number), stdout: '' });
    expect(stderr).toMatch(reason);
  });
});

const HOSTILE_NAMES = [
  ['a line break', 'a\nstderr = injected\nb'],
  ['a quote', 'a";filename="b'],
  ['a backslash', 'a\\'],
  ['a quote that asks for another file', 'a\\",../secret.txt'],
  ['an escape sequence', 'a\u001b[31m'],
] as const;

/** Checks that an example refuses a folder with a hostile file name. */
async function refusesName(example: Example, name: string, more: Record<string, string> = {}): Promise<void> {
  const site = { 'index.html': 'front', a: 'the start of the name', [name]: 'hostile' };
  const { code, stdout, stderr, folder } = await run(example, more, site);
  expect(existsSync(join(folder, 'injected'))).toBe(false);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^Rename .*a.*: a name must not contain .*\n$/);
  // oxlint-disable-next-line no-control-regex -- the message must not contain these characters
  expect(stderr).not.toMatch(/[\0-\x09\x0b-\x1f]/);
}

describe.each(CASES.filter(({ name }) => ['python', 'rust'].includes(name)))('the example $name', (example) => {
  it.skipIf(!example.needs.every(isHere)).each(HOSTILE_NAMES)(
    'refuses a folder with %s in a file name, and sends nothing',
    (_, name) => refusesName(example, name),
  );
});

describe.skipIf(!['curl', 'md5sum'].every(isHere))('the example curl', () => {
  const [curl] = CASES as [Example];

  it('publishes 3,000 files', async () => {
    const files = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`${n}.html`, `page ${n}`]));
    const { stdout, stderr } = await run(curl, {}, files);
    expect(stderr).toBe('');
    expect((await server().visit(stdout.trim(), '/2999.html')).text).toBe('page 2999');
  });

  /** Creates an `md5sum` that prints names without escaping, as on some systems. */
  function plainMd5sum(): string {
    const { home } = createUser();
    writeFiles(home, { md5sum: `#!/bin/sh\nfor file; do printf '%032d  %s\\n' 0 "$file"; done\n` });
    chmodSync(join(home, 'md5sum'), 0o755);
    return `${home}:${process.env['PATH']}`;
  }

  describe.each([
    ['that escapes names', () => process.env['PATH']!],
    ['that prints names unchanged', plainMd5sum],
  ])('with an md5sum %s', (_, path) => {
    it.each(HOSTILE_NAMES)('refuses a folder with %s in a file name, and sends nothing', (_what, name) =>
      refusesName(curl, name, { PATH: path() }),
    );
  });
});

it('the example that follows activities prints past and new ones, and ends without an error', async () => {
  const { env } = createUser(envOf(server()));
  await server().publish({ 'index.html': 'past' });
  const child = spawn(process.execPath, [fileOf('typescript/follow.ts')], { env });
  const commandOutcome = outcomeOf(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextOf = async (id: string) => {
    for (;;) {
      const { value = '', done } = await lines.next();
      if (done === true || value.includes(id)) return value;
    }
  };
  expect(await nextOf('deployment.create')).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z deployment\.create [a-z0-9-]+$/);
  const { deployment } = await server().publish({ 'index.html': 'new' });
  expect(await nextOf(deployment)).toContain(`deployment.create ${deployment}`);
  child.kill('SIGINT');
  expect(await commandOutcome).toMatchObject({ code: 0, err: '' });
});

describe('the CI job of the examples', () => {
  it('passes the link to later steps, and labels the deployment with the commit', async () => {
    const { home } = createUser();
    const [output, summary] = [join(home, 'output'), join(home, 'summary')];
    const { stdout } = await run(
      CASES.find(({ name }) => name === 'ci')!,
      {
        GITHUB_SHA: '4f9c2b7d10e83a5566778899aabbccddeeff0011',
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: summary,
        BERTH_DOMAIN: 'from-ci',
      },
    );
    expect(stdout).toBe(`http://from-ci.localhost:${server().port}\n`);
    expect(readFileSync(output, 'utf8')).toBe(`url=${stdout}`);
    expect(readFileSync(summary, 'utf8')).toContain(stdout.trim());
    const { deployments } = (await server().api('/deployments?limit=1')).json<{ deployments: Deployment[] }>();
    expect(deployments[0]!.labels).toEqual(['4f9c2b7d10e8']);
  });

  it('runs the script that is stored next to its workflow', () => {
    const workflow = readFileSync(fileOf('ci/publish.yml'), 'utf8');
    expect(workflow).toContain('run: ./publish.sh ./dist\n');
    expect(workflow).toContain('url: ${{ steps.publish.outputs.url }}\n');
    expect(workflow).not.toContain('\t');
  });
});
