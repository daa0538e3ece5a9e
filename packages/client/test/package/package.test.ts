import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeInBrowser, openPage } from '@berth/testing/browser';
import { OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compile, copyProgram, installClient } from './installed-package.ts';

const README = join(import.meta.dirname, '../../README.md');
/** Larger than a body of several contents, and than a file that is hashed as a whole. */
const LARGE_FILE_BYTES = 9 * 1024 ** 2;

const folder = mkdtempSync(join(tmpdir(), 'berth-installed-'));
const app = join(folder, 'app');
const server = useServer();
beforeAll(() => installClient(folder));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const address = () => `http://localhost:${server().port}`;

const START = `import { createClient, deployFolder } from '@berth/client';
const client = createClient({ server: 'https://berth.example' });
`;

const WRONG_PROGRAMS: [title: string, code: string, error: RegExp][] = [
  [
    'calls a procedure that does not exist',
    'await client.api.harbours.list.query();',
    /Property 'harbours' does not exist/,
  ],
  ['passes a wrong input', 'await client.api.deployments.get.query({ id: 1 });', /'id' does not exist/],
  [
    'uses a field that an output does not have',
    'console.log((await client.api.account.get.query()).password);',
    /Property 'password' does not exist/,
  ],
  [
    'treats an optional field as present',
    "const { expires } = await client.api.deployments.get.query({ deployment: 'a' }); expires.toFixed();",
    /'expires' is possibly 'undefined'/,
  ],
  ['calls a query as a mutation', 'await client.api.plans.list.mutate();', /Property 'mutate' does not exist/],
  [
    'passes a wrong option of a deploy',
    "deployFolder({ client, folder: 'a', ttl: '1h' });",
    /'string' is not assignable/,
  ],
];

describe('the installed package', () => {
  it('contains nothing of the server, and its own types', () => {
    const files = readdirSync(join(app, 'node_modules/@berth'));
    expect(files).toEqual(['client']);
    const sources = readdirSync(join(app, 'node_modules/@berth/client'))
      .filter((name) => /\.(js|d\.ts)$/.test(name))
      .map((name) => readFileSync(join(app, 'node_modules/@berth/client', name), 'utf8'));
    for (const source of sources)
      expect(source).not.toMatch(/@berth\/(contract|core|serving|api)['"]|mikro-orm|kysely/);
  });

  it('has an entry for pages that imports nothing of Node', () => {
    const dist = join(app, 'node_modules/@berth/client');
    const files = ['browser.js'];
    const imported = new Set<string>();
    for (const file of files)
      for (const [, name] of readFileSync(join(dist, file), 'utf8').matchAll(
        /^(?:import|export)\b[^;]*?"([^"]+)";$/gm,
      )) {
        imported.add(name!);
        if (name!.startsWith('./') && !files.includes(name!.slice(2))) files.push(name!.slice(2));
      }
    expect(imported).toContain('@trpc/client');
    expect([...imported].filter((name) => isBuiltin(name))).toEqual([]);
  });

  it('compiles programs for Node and for pages, and the examples of its README, with the types of all packages checked', async () => {
    copyProgram(app, 'node.ts');
    copyProgram(app, 'page.ts');
    const examples = [...readFileSync(README, 'utf8').matchAll(/^```ts( browser)?\n(.*?)^```$/gms)];
    expect(examples.length).toBeGreaterThan(2);
    const names = examples.map(([, browser, code], at) => {
      const name = `example-${at}${browser ? '-page' : ''}.ts`;
      writeFileSync(join(app, name), `${code}\nexport {};\n`);
      return name;
    });
    const isPage = (name: string) => name.includes('page');
    expect(await compile(app, 'node', ['node.ts', ...names.filter((name) => !isPage(name))])).toBe('');
    expect(await compile(app, 'page', ['page.ts', ...names.filter(isPage)])).toBe('');
  });

  it('refuses wrong programs', async () => {
    const names = WRONG_PROGRAMS.map(([, code], at) => {
      writeFileSync(join(app, `wrong-${at}.ts`), `${START}${code}\nexport {};\n`);
      return `wrong-${at}.ts`;
    });
    const errors = await compile(app, 'node', names);
    for (const [at, [title, , error]] of WRONG_PROGRAMS.entries()) {
      const own = errors.split('\n').filter((line) => line.startsWith(`wrong-${at}.ts`));
      expect(own, title).toEqual([expect.stringMatching(error)]);
    }
  });

  it('publishes, reads and follows from Node', async () => {
    copyProgram(app, 'node.ts');
    mkdirSync(join(app, 'site'));
    writeFileSync(join(app, 'site/index.html'), 'from the package');
    const env = { PATH: process.env['PATH'], HOME: folder, BERTH_SERVER: address(), BERTH_KEY: OWNER_KEY };
    const { stdout } = await promisify(execFile)(process.execPath, ['node.ts'], { cwd: app, env });
    const [missing, url, ...rest] = stdout.trim().split('\n');
    expect([missing, ...rest]).toEqual([
      '16 B to send',
      'packed',
      'account.key.generate',
      'scale',
      'There is no such deployment.',
    ]);
    expect((await server().visit(url!)).text).toBe('from the package');
  });
});

describeInBrowser('the installed package, bundled by Vite', (browser) => {
  let page: Awaited<ReturnType<typeof openPage>>;
  beforeAll(async () => {
    copyProgram(app, 'page.ts');
    writeFileSync(join(app, 'index.html'), '<!doctype html><script type="module" src="./page.ts"></script>');
    const outDir = join(folder, 'page');
    await build({ configFile: false, root: app, logLevel: 'error', build: { outDir } });
    const assets = readdirSync(join(outDir, 'assets'));
    const files = Object.fromEntries(
      assets.map((name) => [`assets/${name}`, readFileSync(join(outDir, 'assets', name))]),
    );
    const { url } = await server().publish({ ...files, 'index.html': readFileSync(join(outDir, 'index.html')) });
    page = await openPage(browser());
    await page.page.goto(url);
    await page.page.waitForFunction('"calls" in globalThis');
  });

  /** Calls a function of the program `page.ts`. */
  function call<Result = { url: string; types: string[]; skipped: string[] }>(
    name: string,
    ...rest: unknown[]
  ): Promise<Result> {
    const args = [address(), OWNER_KEY, ...rest].map((value) => JSON.stringify(value));
    return page.page.evaluate(`calls.${name}(${args.join()})`);
  }

  it('publishes files, and skips what must not be published', async () => {
    const { url, types, skipped } = await call('publishFiles', LARGE_FILE_BYTES);
    expect(types).toEqual(['walked', 'hashed', 'planned', 'uploaded', 'committed']);
    expect(skipped).toEqual(['.env']);
    expect((await server().visit(url)).text).toBe('from a page');
    expect((await server().visit(url, '/large.bin')).headers['content-length']).toBe(String(LARGE_FILE_BYTES));
    expect(page.faults).toEqual([]);
  });

  it('publishes a directory handle', async () => {
    const { url, skipped } = await call('publishDirectory');
    expect(skipped.toSorted()).toEqual(['.berthignore', 'drafts/']);
    expect((await server().visit(url)).text).toBe('from a directory');
    expect((await server().visit(url, '/docs/a.txt')).text).toBe('in a folder');
  });

  it('publishes nothing after an abort', async () => {
    const before = await server().api('/deployments');
    expect(await call<string>('abortAfterHashing')).toBe('aborted');
    expect((await server().api('/deployments')).text).toBe(before.text);
  });
});
