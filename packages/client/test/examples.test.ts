import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OWNER_KEY } from '@berth/api/testing';
import type { Deployment } from '@berth/contract';
import { describe, expect, it } from 'vitest';
import { MAIN, somebody, writeFiles } from './cli/typed.ts';
import { useServer } from '@berth/api/testing/vitest';

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
  /** What it is run with; without them on the machine it is not. */
  needs: string[];
  /** The command line but for the folder. */
  command: (home: string) => string[];
  via: string;
}

const CASES: Example[] = [
  { name: 'curl', needs: ['curl', 'md5sum'], command: () => [join(EXAMPLES, 'curl/publish.sh')], via: 'curl' },
  {
    name: 'python',
    needs: ['python3'],
    command: () => ['python3', join(EXAMPLES, 'python/publish.py')],
    via: 'python',
  },
  {
    name: 'rust',
    needs: ['rustc'],
    command: (home) => {
      const program = join(home, 'publish');
      const built = spawnSync('rustc', ['--edition', '2021', '-O', '-o', program, join(EXAMPLES, 'rust/publish.rs')]);
      expect(String(built.stderr)).toBe('');
      return [program];
    },
    via: 'rust',
  },
  {
    name: 'typescript',
    needs: [],
    command: () => [process.execPath, join(EXAMPLES, 'typescript/publish.ts')],
    via: 'example',
  },
  { name: 'ci', needs: [], command: () => [join(EXAMPLES, 'ci/publish.sh')], via: 'cli' },
];

const isHere = (program: string) => spawnSync(program, ['--version']).error === undefined;

const server = useServer();

/** Runs an example in the home of somebody who has built a site. */
async function run({ command }: Example, more: Record<string, string> = {}) {
  const { home, env } = somebody({
    BERTH_SERVER: `http://localhost:${server().port}`,
    BERTH_KEY: OWNER_KEY,
    BERTH: `${process.execPath} ${MAIN}`,
    ...more,
  });
  writeFiles(join(home, 'dist'), SITE);
  const [program, ...words] = [...command(home), join(home, 'dist')];
  const ran = promisify(execFile)(program!, words, { cwd: home, env });
  return ran.catch((error: { code: number; stdout: string; stderr: string }) => error);
}

describe.each(CASES)('the example $name', (example) => {
  const isMissing = !example.needs.every(isHere);

  it.skipIf(isMissing)('publishes a folder, without its secrets, and prints the link', async () => {
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

  it.skipIf(isMissing)('says why it was refused, and fails', async () => {
    const outcome = await run(example, { BERTH_KEY: `ship-${'f'.repeat(32)}` });
    expect(outcome).toMatchObject({ code: expect.any(Number), stdout: '' });
    expect(outcome.stderr).toMatch(/key|credential/i);
  });
});

describe('the CI job', () => {
  it('hands the link to later steps, and labels the deployment with the commit', async () => {
    const { home } = somebody();
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

  it('runs the script that is beside its workflow', () => {
    const workflow = readFileSync(join(EXAMPLES, 'ci/publish.yml'), 'utf8');
    expect(workflow).toContain('run: ./publish.sh ./dist\n');
    expect(workflow).toContain('url: ${{ steps.publish.outputs.url }}\n');
    expect(workflow).not.toContain('\t');
  });
});
