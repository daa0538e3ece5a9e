import { statfsSync } from 'node:fs';
import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Where there is one, a folder in memory: the tests write gigabytes of databases and packs that nobody keeps. */
const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 3 * 1024 ** 3;

/** What looks at the whole from outside: programs, browsers, databases of its own, the documents, thousands of inputs. */
const SYSTEM = [
  'apps/api/test/{contract,crash,fuzz,life-cycle,operator,pages,patterns,sites}/**/*.test.ts',
  'apps/api/test/healthcheck.test.ts',
  'apps/desktop/test/{app,renderer,packaging}/**/*.test.ts',
  'packages/cli/test/{examples,exit-codes,login,package,readme,terminal,watch}.test.ts',
  'packages/core/test/database/{connections,embedded-postgres,supervision}.test.ts',
  'packages/core/test/**/*-races.test.ts',
  'packages/client/test/deploy/{broken-off,server-killed}.test.ts',
];

/** What takes longest comes first. At the end, one of these files would run while all other workers are idle. */
const LONGEST = [
  'apps/api/test/crash/failpoints.test.ts',
  'apps/api/test/crash/database-killed.test.ts',
  'apps/desktop/test/renderer/gallery-account.test.ts',
  'apps/desktop/test/app/watch.test.ts',
  'apps/api/test/patterns/linear-patterns.test.ts',
  'apps/desktop/test/renderer/gallery-folders.test.ts',
  'apps/desktop/test/renderer/gallery-publish.test.ts',
  'apps/api/test/crash/embedded-database.test.ts',
  'apps/api/test/crash/database-kills.test.ts',
  'apps/api/test/life-cycle/workers.test.ts',
];

/** Runs the longest files first, also on a machine that has no times of earlier runs. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.indexOf(relative(import.meta.dirname, moduleId));
      return place === -1 ? LONGEST.length : place;
    };
    // oxlint-disable-next-line unicorn/no-array-sort -- the method of the sequencer
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

/** What starts a real Electron, where there is one. */
const ELECTRON = ['apps/desktop/test/electron/**/*.test.ts'];

if (process.env['TMPDIR'] === undefined && freeBytes(MEMORY) > ENOUGH_BYTES) process.env['TMPDIR'] = MEMORY;

// Whatever imports Electron from Node starts a download of a hundred megabytes, unless it is told where it is.
process.env['ELECTRON_OVERRIDE_DIST_PATH'] = '/nonexistent';

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 3,
    // A file finds the modules the one before it loaded. Nothing of ours keeps state in a module.
    isolate: false,
    // The second run finds what the first one has transformed.
    fsModuleCache: true,
    // What tests make is young garbage by the gigabyte; collecting it often would take a sixth of the time.
    execArgv: ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=128'],
    // Ends what hangs. A machine that is merely slow may take its time.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
    sequence: { sequencer: LongestFirst },
    globalSetup: ['packages/testing/src/database-server.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'suite',
          include: ['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts'],
          exclude: [...SYSTEM, ...ELECTRON],
        },
      },
      { extends: true, test: { name: 'system', include: SYSTEM } },
      { extends: true, test: { name: 'electron', include: ELECTRON } },
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
