import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, '../main.ts');

it('npm run torture finds every invariant whole after it has killed a worker and the database', async () => {
  const kinds = ['kill-worker', 'kill-database'].flatMap((kind) => ['--only', kind]);
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, '--seconds', '5', '--seed', '1', ...kinds]);
  expect(stdout).toContain('| deployments lost or torn | 0 |');
  expect(stdout).toContain('| broken invariants | none |');
  expect(Number(/\| deployments acknowledged \| (\d+) \|/.exec(stdout)?.[1])).toBeGreaterThan(5);
});
