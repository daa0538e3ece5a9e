import { statfsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

/** Where there is one, a folder in memory: the tests write gigabytes of databases and packs that nobody keeps. */
const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 3 * 1024 ** 3;

/** What kills processes again and again, or tries thousands of inputs: too slow to run after every change. */
const ENDURANCE = ['apps/*/test/{crash,fuzz}/**/*.test.ts'];

if (process.env['TMPDIR'] === undefined && freeBytes(MEMORY) > ENOUGH_BYTES) process.env['TMPDIR'] = MEMORY;

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 3,
    // A file finds the modules the one before it loaded. Nothing of ours keeps state in a module.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    globalSetup: ['packages/core/test/database-server.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'suite',
          include: ['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts'],
          exclude: ENDURANCE,
        },
      },
      { extends: true, test: { name: 'endurance', include: ENDURANCE } },
    ],
  },
});

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
