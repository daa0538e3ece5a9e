import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { useServer } from '@berth/testing/use-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCliPackage } from '../build/package.ts';
import { createUser, envOf, writeFiles } from './user.ts';

const exec = promisify(execFile);

describe('the package of the command line', () => {
  const server = useServer();
  let folder: string;
  let dist: string;
  let tarball: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'berth-package-'));
    dist = join(folder, 'dist');
    await buildCliPackage(dist);
    const { stdout } = await exec('npm', ['pack', '--silent', '--pack-destination', folder, dist]);
    tarball = join(folder, stdout.trim());
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('contains one program, its license, those of the code in it, and a README, and has no dependencies', async () => {
    const { stdout } = await exec('tar', ['-tzf', tarball]);
    expect(stdout.trim().split('\n').toSorted()).toEqual(
      ['LICENSE', 'README.md', 'THIRD-PARTY-NOTICES.md', 'berth.js', 'main.js', 'package.json'].map(
        (name) => `package/${name}`,
      ),
    );
    const manifest = JSON.parse(readFileSync(join(dist, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({
      name: '@berth/cli',
      bin: { berth: 'berth.js' },
      repository: { type: 'git', directory: 'packages/cli' },
      homepage: expect.any(String),
      bugs: expect.any(Object),
      keywords: expect.any(Array),
    });
    expect(Object.keys(manifest).filter((key) => /dependencies|scripts/i.test(key))).toEqual([]);
  });

  it('names the licenses of all packages whose code it contains', () => {
    const notices = readFileSync(join(dist, 'THIRD-PARTY-NOTICES.md'), 'utf8');
    for (const name of ['@trpc/client', 'chokidar', 'commander', 'eventsource', 'ignore', 'open', 'picocolors', 'zod'])
      expect(notices).toMatch(new RegExp(`^## ${name} - [0-9.]+ \\((MIT|ISC|BSD-2-Clause)\\)$`, 'm'));
  });

  it.each(['20.20.2', '22.21.9', '18.0.0'])('fails on Node %s, and prints which Node it needs', async (version) => {
    const fakeVersion = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
    const words = ['--import', fakeVersion, join(dist, 'berth.js'), './dist'];
    await expect(exec(process.execPath, words)).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: `Error: berth needs Node 22.22 or newer; this is Node ${version}.\n`,
    });
  });

  it('checks the version of Node before it loads code that an older version cannot run', async () => {
    const entry = readFileSync(join(dist, 'berth.js'), 'utf8');
    expect(entry.length).toBeLessThan(1_000);
    expect(entry).not.toMatch(/^\s*import /m);
    const manifest = JSON.parse(readFileSync(join(dist, 'package.json'), 'utf8'));
    expect(manifest.engines).toEqual({ node: '>=22.22.0' });
  });

  it('publishes with npx outside of this repository', async () => {
    const { home, env } = createUser(envOf(server()));
    writeFiles(join(home, 'dist'), { 'index.html': 'by npx' });
    copyFileSync(tarball, join(home, 'berth.tgz'));
    const npx = ['--yes', '--offline', './berth.tgz', './dist'];
    const { stdout } = await exec('npx', npx, { cwd: home, env: { ...env, npm_config_update_notifier: 'false' } });
    expect((await server().visit(stdout.trim())).text).toBe('by npx');
  });
});
