import type { Fault } from './fault.ts';

const DATABASE = 'packages/core/src/database';
const API = 'apps/api/src';

/** Faults of processes, connections and caches. */
export const PROCESS_FAULTS: readonly Fault[] = [
  {
    name: 'three-restarts',
    what: 'The embedded PostgreSQL is restarted only three times.',
    edits: [
      {
        file: `${DATABASE}/embedded-postgres.ts`,
        find: '    for (let quickEnds = 0; ;) {',
        replace: '    for (let quickEnds = 0, restarts = 0; restarts < 3; restarts += 1) {',
      },
    ],
    breaks: ['recovery'],
    only: ['kill-database'],
    seconds: 150,
  },
  {
    name: 'orphaned-sessions',
    what: 'Sessions of a killed PostgreSQL are not killed before its restart.',
    edits: [
      {
        file: `${DATABASE}/postgres-launch.ts`,
        find: `  if (process.platform !== 'linux') return;`,
        replace: `  if (process.platform !== 'darwin') return;`,
      },
    ],
    breaks: ['recovery'],
    only: ['kill-database-stopped-session'],
  },
  {
    name: 'one-supervised-worker',
    what: 'Only the first worker is replaced when it ends.',
    edits: [
      {
        file: `${API}/workers/worker-pool.ts`,
        find: 'for (const index of this.#workers.keys()) void this.#supervise(index);',
        replace: 'void this.#supervise(0);',
      },
    ],
    breaks: ['recovery'],
    only: ['kill-worker'],
  },
  {
    name: 'workers-outlive-server',
    what: 'Workers keep the port after the first process was killed.',
    edits: [
      {
        file: `${API}/workers/run-worker.ts`,
        find: `finishing running requests and exiting');
    enqueue('stop');`,
        replace: `finishing running requests and exiting');`,
      },
    ],
    breaks: ['recovery'],
    only: ['kill-server'],
    seconds: 150,
  },
  {
    name: 'newest-changes-only',
    what: 'A process that reads many changes at once uses only the newest 20.',
    edits: [
      {
        file: 'packages/core/src/database/change-log.ts',
        find: 'for (const change of changes) for',
        replace: 'for (const change of changes.slice(-20)) for',
      },
    ],
    breaks: ['gone', 'protected'],
    only: ['stop-worker'],
    seconds: 150,
  },
  {
    name: 'growing-pauses',
    what: 'The pauses before restarts of PostgreSQL grow although it ran well in between.',
    edits: [
      {
        file: `${DATABASE}/embedded-postgres.ts`,
        find: 'const SETTLED_MS = 10_000;',
        replace: 'const SETTLED_MS = 3_600_000;',
      },
      {
        file: `${DATABASE}/embedded-postgres.ts`,
        find: 'const MAX_REPEAT_PAUSE_MS = 2_000;',
        replace: 'const MAX_REPEAT_PAUSE_MS = 600_000;',
      },
      {
        file: `${DATABASE}/embedded-postgres.ts`,
        find: 'FIRST_PAUSE_MS * 2 ** (quickEnds - 2)',
        replace: 'FIRST_PAUSE_MS * 8 ** (quickEnds - 1)',
      },
    ],
    breaks: ['recovery'],
    only: ['kill-database'],
    seconds: 150,
  },
  {
    name: 'key-per-worker',
    what: 'Each worker makes a secret key of its own, if none is configured.',
    edits: [
      {
        file: `${API}/service/open-core.ts`,
        find: '(await loadSecretKey(config))',
        replace: '(options.visitor && cluster.isWorker ? randomBytes(32) : await loadSecretKey(config))',
      },
      {
        file: `${API}/service/open-core.ts`,
        find: `import { join } from 'node:path';`,
        replace: `import cluster from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';`,
      },
    ],
    breaks: ['protected', 'acknowledged-bytes', 'replays', 'answers'],
    only: ['kill-sweep'],
  },
  {
    name: 'operator-claims-database',
    what: 'Commands of the operator claim the embedded database, which the server owns.',
    edits: [
      {
        file: `${API}/operator/operate.ts`,
        find: '...sessionOptions, visitor: true }',
        replace: '...sessionOptions, visitor: false }',
      },
    ],
    breaks: ['orphans', 'doctor'],
    only: ['kill-sweep'],
  },
];
