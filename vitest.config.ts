import { existsSync, statfsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** A folder in memory, for the gigabytes of databases and packs that the tests write. Some systems do not have it. */
const MEMORY_FOLDER = '/dev/shm';
const MIN_FREE_BYTES = 3 * 1024 ** 3;

/**
 * The tests of the desktop app, of watched folders, and those that start programs, browsers or separate databases, end threads, wait for
 * outages, or try thousands of inputs.
 */
const SYSTEM = [
  'apps/api/test/{contract,crash,deploying,fuzz,life-cycle,monitoring,operator,outages,pages,patterns,proxy,sites,upgrade}/**/*.test.ts',
  'apps/api/test/deploy/{early-answers,storage-faults}.test.ts',
  'apps/api/test/healthcheck.test.ts',
  'apps/api/test/site-host/{metamorphic,oracle/oracle}.test.ts',
  'apps/desktop/test/{app,backend,main,packaging,renderer}/**/*.test.ts',
  'apps/web/test/browser/**/*.test.ts',
  'packages/cli/test/{activities,download,examples,exit-codes,hostile,login,package,publish,publish-archive,readme,terminal,watch}.test.ts',
  'packages/core/test/compressor/compressor.test.ts',
  'packages/core/test/database/{change-reader,connections,embedded-postgres,engine-test,schema,supervision}.test.ts',
  'packages/core/test/**/*-races.test.ts',
  'packages/core/test/services/{compaction/compact-packs,compression/compress-deployments}.test.ts',
  'packages/core/test/rule-compiler/rule-compiler.test.ts',
  'packages/core/test/storage/s3/{radosgw,s3-faults}.test.ts',
  'packages/client/test/package/**/*.test.ts',
  'packages/client/test/deploy/{broken-off,server-killed,trouble}.test.ts',
  'packages/client/test/watch/{builds,series,watch-folder}.test.ts',
  'torture/test/torture.test.ts',
];

/** The files that take longest. They run first, so that at the end no worker is idle while another one still runs them. */
const LONGEST = [
  'apps/web/test/browser/gallery.test.ts',
  'apps/api/test/crash/failpoints.test.ts',
  'torture/test/torture.test.ts',
  'apps/api/test/crash/database-killed.test.ts',
  'apps/web/test/browser/connection.test.ts',
  'apps/api/test/monitoring/alerts.test.ts',
  'apps/web/test/browser/people.test.ts',
  'apps/api/test/fuzz/faces.test.ts',
  'apps/desktop/test/app/publish.test.ts',
  'apps/desktop/test/renderer/account.test.ts',
  'apps/api/test/crash/object-store-kills.test.ts',
  'apps/desktop/test/renderer/gallery-account.test.ts',
  'packages/client/test/package/package.test.ts',
  'apps/desktop/test/app/watch.test.ts',
  'apps/api/test/patterns/linear-patterns.test.ts',
  'apps/desktop/test/renderer/gallery-folders.test.ts',
  'apps/desktop/test/renderer/gallery-publish.test.ts',
  'apps/api/test/crash/embedded-database.test.ts',
  'apps/api/test/crash/database-kills.test.ts',
  'apps/api/test/deploying/image.test.ts',
  'apps/api/test/deploying/setup.test.ts',
  'apps/api/test/life-cycle/workers.test.ts',
  'apps/api/test/life-cycle/draining.test.ts',
  'apps/api/test/life-cycle/stopping-at-start.test.ts',
  'apps/desktop/test/app/first-run.test.ts',
  'apps/api/test/operator/embedded-database.test.ts',
  'packages/core/test/services/compaction/compact-packs.test.ts',
  'packages/core/test/storage/s3/s3-faults.test.ts',
  'packages/client/test/deploy/trouble.test.ts',
  'apps/desktop/test/backend/watched-projects.test.ts',
  'packages/cli/test/publish.test.ts',
  'packages/cli/test/hostile.test.ts',
  'apps/api/test/archives/tar.test.ts',
];

/** The files that mostly wait, for timeouts of servers for example. They run beside files that use the processor. */
const WAITING = [
  'apps/api/test/outages/outages.test.ts',
  'apps/desktop/test/backend/silent-drive.test.ts',
  'apps/api/test/deploy/early-answers.test.ts',
  'packages/client/test/client/follow-activities.test.ts',
  'apps/api/test/http/request-body.test.ts',
  'packages/client/test/watch/watch-folder.test.ts',
  'apps/api/test/http/server.test.ts',
  'apps/desktop/test/backend/accounts.test.ts',
  'apps/api/test/deploy/object-store.test.ts',
  'packages/core/test/services/domains/verified-names.test.ts',
  'packages/core/test/services/sites/site-changes.test.ts',
  'packages/core/test/database/migrate.test.ts',
];

/** Runs the longest files first, and spreads those that mostly wait over the first half of the others. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const pathOf = ({ moduleId }: TestSpecification) => relative(import.meta.dirname, moduleId);
    const inOrderOf = (list: readonly string[], unsorted: readonly TestSpecification[]) => {
      const places = new Map(list.map((path, place) => [path, place]));
      const placeOf = (file: TestSpecification) => places.get(pathOf(file)) ?? list.length;
      return unsorted.toSorted((a, b) => placeOf(a) - placeOf(b));
    };
    // oxlint-disable-next-line unicorn/no-array-sort -- the method of the sequencer
    const sorted = await super.sort(files);
    const { waiting = [], busy = [] } = Object.groupBy(sorted, (file) =>
      WAITING.includes(pathOf(file)) ? 'waiting' : 'busy',
    );
    const ordered = inOrderOf(LONGEST, busy);
    const spacing = Math.ceil(ordered.length / 2 / Math.max(1, waiting.length));
    for (const [i, file] of inOrderOf(WAITING, waiting).entries()) ordered.splice(i * (spacing + 1), 0, file);
    return ordered;
  }
}

/** The tests that generate clients from the OpenAPI document, which `npm run check` runs. */
const CLIENTS = ['packages/generated-clients/test/**/*.test.ts'];

/** The tests that start a real Electron if it is installed. */
const ELECTRON = ['apps/desktop/test/electron/**/*.test.ts'];

const memory = existsSync(MEMORY_FOLDER) ? statfsSync(MEMORY_FOLDER) : { bavail: 0, bsize: 0 };
if (memory.bavail * memory.bsize > MIN_FREE_BYTES) process.env['TMPDIR'] ??= MEMORY_FOLDER;

// Threads and programs that tests start from TypeScript would otherwise strip its types each time, which takes longer than what they do.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/node');

// Without ELECTRON_OVERRIDE_DIST_PATH, importing Electron in Node would download a hundred megabytes.
process.env['ELECTRON_OVERRIDE_DIST_PATH'] = '/nonexistent';

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 4,
    // All test files of a worker share loaded modules. This is safe, because our modules keep no state between tests.
    isolate: false,
    // Later runs reuse the transformed modules of earlier runs.
    fsModuleCache: true,
    // Tests allocate gigabytes of short-lived objects. By default, collecting these takes a sixth of the time. Workers have memory for
    // a heap that grows, so V8 need not mark it to keep it small.
    execArgv: [
      '--expose-gc',
      '--min-semi-space-size=64',
      '--max-semi-space-size=128',
      '--initial-heap-size=1500',
      '--no-memory-reducer',
      // All threads share V8's cache of compiled imports of WebAssembly. Freeing one can end the process (`Check failed:
      // jit_page.has_value()`), and several threads of a test call `fetch`, whose parser has such imports. V8 compiles one after this many calls.
      '--wasm-wrapper-tiering-budget=1000000000',
    ],
    // The timeouts are long, so that they stop only tests that hang, also on a slow machine.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
    sequence: { sequencer: LongestFirst },
    globalSetup: ['packages/testing/src/database-server.ts', 'packages/testing/src/builds-folder.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'suite',
          include: ['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts', 'torture/test/**/*.test.ts'],
          exclude: [...SYSTEM, ...CLIENTS, ...ELECTRON],
        },
      },
      {
        extends: true,
        test: { name: 'system', include: SYSTEM, globalSetup: ['packages/testing/src/bundled-server.ts'] },
      },
      { extends: true, test: { name: 'clients', include: CLIENTS } },
      { extends: true, test: { name: 'electron', include: ELECTRON } },
    ],
  },
});
