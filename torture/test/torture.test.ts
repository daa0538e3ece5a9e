import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, '../main.ts');
/** The torture has limits of its own for each step. */
const TIMEOUT_MS = 300_000;

it.each([
  ['the database', 1, ['--only', 'kill-database']],
  ['one of two nodes on an object store', 1, ['--nodes', '2', '--storage', 's3', '--only', 'kill-server']],
] as const)(
  'npm run torture finds every invariant whole after it has killed %s',
  { timeout: TIMEOUT_MS },
  async (_, seconds, options) => {
    const args = [MAIN, '--seconds', String(seconds), '--seed', '1', ...options];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout).toContain('| deployments lost or torn | 0 |');
    expect(stdout).toContain('| broken invariants | none |');
    expect(Number(/\| deployments acknowledged \| (\d+) \|/.exec(stdout)?.[1])).toBeGreaterThan(5);
  },
);
