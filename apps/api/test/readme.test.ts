import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { glob, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { CreatedDeployment, CreatedToken, Deployment } from '@berth/contract';
import { type Files, OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../src/config/config.ts';
import { sampleCommand } from '../src/welcome.ts';
import { readVariables } from './read-variables.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SAMPLE_FOLDER = join(ROOT, 'node_modules/reveal.js');
const DOCUMENTS = await Array.fromAsync(glob(['*.md', 'bench/*.md', 'docs/**/*.md', 'packages/*/*.md'], { cwd: ROOT }));
/** A character that no output contains. It separates the outputs of the commands. */
const SEPARATOR = '\u001e';

const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
const shellBlocks = [...readme.matchAll(/^```sh runnable\n(.*?)^```$/gms)].map(([, script]) => script!);

describe('the configuration table of the README', () => {
  const rows = [...readme.matchAll(/^\| `([A-Z_]+)` \| (.+?) \| .+ \|$/gm)].map(([, name, fallback]) => ({
    name: name!,
    fallback: fallback!,
  }));

  it('lists exactly the variables that the configuration reads', () => {
    expect(rows.map(({ name }) => name).toSorted()).toEqual([...readVariables()].toSorted());
  });

  it.each(rows.filter(({ fallback }) => fallback.startsWith('`')))(
    'shows the default of $name, $fallback',
    ({ name, fallback }) => {
      const value = fallback
        .replaceAll('`', '')
        .replace('{BASE_URL}', 'http://localhost:{PORT}')
        .replace('{PORT}', '4000');
      expect(readConfig({ [name]: value })).toEqual(readConfig({}));
    },
  );
});

it('the README shows the server address and the command that the first start prints', () => {
  expect(readme).toContain(`\nBERTH_URL=${readConfig({}).baseUrl.origin}\n`);
  expect(readme).toContain(`\n${sampleCommand('http://localhost:4000', 'ship-…')}\n`);
});

it.each(DOCUMENTS)('the links in the documents lead to files and headings that exist: %s', async (document) => {
  const text = await readFile(join(ROOT, document), 'utf8');
  const brokenLinks: string[] = [];
  for (const [, target] of text.matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
    const [path, anchor] = target!.split('#') as [string, string?];
    const file = path === '' ? join(ROOT, document) : join(ROOT, dirname(document), path);
    const isValid = existsSync(file) && (anchor === undefined || anchorsOf(await readFile(file, 'utf8')).has(anchor));
    if (!isValid) brokenLinks.push(target!);
  }
  expect(brokenLinks).toEqual([]);
});

/** Returns the anchors that GitHub gives to the headings of a document. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!.toLowerCase());
  return new Set(headings.map((heading) => heading.replace(/[^\w\s-]/g, '').replaceAll(' ', '-')));
}

describe('the rule files in the README', () => {
  const ruleFiles = Object.fromEntries(
    [...readme.matchAll(/^```\w+ (ship\.json|_redirects|_headers)\n(.*?)^```$/gms)].map(([, name, text]) => [
      name!,
      text!,
    ]),
  );
  const server = useServer();

  it('are accepted without a warning, and act as described beside them (S17, S24, S25, S33)', async () => {
    expect(Object.keys(ruleFiles)).toEqual(['ship.json', '_redirects', '_headers']);
    const { deployment, warnings } = await server().publish({
      ...ruleFiles,
      'index.html': 'front',
      'about.html': 'about',
      'app/index.html': 'app',
      'fonts/sans.woff2': 'font',
      'feed.xml': 'feed',
      'downloads/file.zip': 'zip',
    });
    expect(warnings).toBeUndefined();
    const visit = async (path: string) => {
      const { status, text, headers } = await server().visit(deployment, path);
      return { status, text, headers };
    };
    expect(await visit('/about.html')).toMatchObject({ status: 307, headers: { location: '/about' } });
    expect(await visit('/blog/2024/hello')).toMatchObject({ status: 308, headers: { location: '/posts/hello' } });
    expect(await visit('/app/some/route')).toMatchObject({ status: 200, text: 'app' });
    expect(await visit('/fonts/sans.woff2')).toMatchObject({ headers: { 'access-control-allow-origin': '*' } });
    expect(await visit('/feed')).toMatchObject({ status: 200, text: 'feed', headers: { 'x-frame-options': 'DENY' } });
    expect(await visit('/docs/a/b')).toMatchObject({ status: 301, headers: { location: '/manual/a/b' } });
    expect(await visit('/shop/a')).toMatchObject({ status: 302, headers: { location: 'https://shop.example.com/a' } });
    expect(await visit('/downloads/file.zip')).toMatchObject({
      headers: {
        'content-disposition': 'attachment',
        'cache-control': 'public, max-age=3600',
        'x-frame-options': 'DENY',
      },
    });
  });

  it('make a single-page app of a site with one line of _redirects, or with a 200.html (S36)', async () => {
    const sites: Files[] = [
      { _redirects: '/* /index.html 200', 'index.html': 'app' },
      { '200.html': 'app', 'index.html': 'front' },
    ];
    for (const files of sites) {
      const { deployment, warnings } = await server().publish(files);
      expect(warnings).toBeUndefined();
      expect((await server().visit(deployment, '/some/route')).text).toBe('app');
      expect((await server().visit(deployment, '/missing.js')).status).toBe(404);
    }
  });
});

/** The commands need a shell with curl, which some machines lack. */
describe.skipIf(spawnSync('curl', ['--version']).status !== 0)('the commands of the README, in one shell', () => {
  const server = useServer();
  let outputs: unknown[];
  beforeAll(async () => {
    const script = shellBlocks.join(`printf '${SEPARATOR}'\n`);
    const env = { PATH: process.env['PATH'], BERTH_URL: `http://localhost:${server().port}`, BERTH_KEY: OWNER_KEY };
    const { stdout, stderr } = await promisify(execFile)('sh', ['-euc', script], { cwd: ROOT, env });
    expect(stderr).toBe('');
    outputs = stdout.split(SEPARATOR).map((text) => JSON.parse(text));
  });

  it('publish a whole folder', async () => {
    const [{ url, files, expires }] = outputs as [CreatedDeployment];
    const entries = await readdir(SAMPLE_FOLDER, { recursive: true, withFileTypes: true });
    expect(files).toBe(entries.filter((entry) => entry.isFile()).length);
    expect(readme).toContain(`${files} files`);
    expect(expires).toBeUndefined();
    for (const [path, file] of [
      ['/', 'index.html'],
      ['/dist/reveal.js', 'dist/reveal.js'],
    ] as const) {
      const { status, bytes } = await server().visit(url, path);
      expect(status).toBe(200);
      expect(bytes.equals(await readFile(join(SAMPLE_FOLDER, file)))).toBe(true);
    }
  });

  it('publish without an account for three days, and print a claim link', async () => {
    const [, { url, claim, created, expires }] = outputs as [unknown, CreatedDeployment];
    expect(claim).toMatch(new RegExp(`^http://localhost:${server().port}/claim/[0-9a-f]{32}$`));
    expect(expires).toBe(created + 3 * 24 * 60 * 60);
    expect((await server().visit(url)).status).toBe(200);
  });

  it('publish to a name in one step', async () => {
    const [, , { deployment, domains }] = outputs as [unknown, unknown, CreatedDeployment];
    expect(domains).toEqual(['slides.localhost']);
    const { status, bytes } = await server().visit(`http://slides.localhost:${server().port}`);
    expect(status).toBe(200);
    expect(bytes).toEqual((await server().visit(deployment)).bytes);
  });

  it('create a token that can deploy', async () => {
    const [, , , { secret, labels }] = outputs as [unknown, unknown, unknown, CreatedToken];
    expect(labels).toEqual(['ci-job']);
    expect((await server().deploy({ 'index.html': 'x' }, { key: secret })).status).toBe(201);
  });

  it('list the deployments of the account', () => {
    const { deployments } = outputs[4] as { deployments: Deployment[] };
    expect(deployments.map(({ deployment }) => deployment)).toEqual([
      (outputs[2] as Deployment).deployment,
      (outputs[0] as Deployment).deployment,
    ]);
  });
});
