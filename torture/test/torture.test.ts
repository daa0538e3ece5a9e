import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, '../main.ts');
/** The torture has limits of its own for each step. */
const TIMEOUT_MS = 300_000;

it.each([
  { killed: 'a worker and the database', kinds: ['kill-worker', 'kill-database'], options: [] },
  {
    killed: 'one of two nodes on an object store',
    kinds: ['kill-server'],
    options: ['--nodes', '2', '--storage', 's3'],
  },
])(
  'npm run torture finds every invariant whole after it has killed $killed',
  { timeout: TIMEOUT_MS },
  async ({ kinds, options }) => {
    const only = kinds.flatMap((kind) => ['--only', kind]);
    const args = [MAIN, '--rounds', String(kinds.length), '--seed', '1', ...only, ...options];
    const { stdout } = await promisify(execFile)(process.execPath, args).catch((failure: { stdout: string }) => {
      throw new Error(`The torture found something broken:\n${failure.stdout}`, { cause: failure });
    });
    for (const kind of kinds) expect(stdout).toContain(`| ${kind} | 1 times`);
    expect(stdout).toContain('| deployments lost or torn | 0 |');
    expect(stdout).toContain('| broken invariants | none |');
    expect(Number(/\| deployments acknowledged \| (\d+) \|/.exec(stdout)?.[1])).toBeGreaterThan(5);
  },
);
