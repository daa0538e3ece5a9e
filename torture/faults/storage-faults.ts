import type { Fault } from './fault.ts';

const SERVICES = 'packages/core/src/services';

/** Faults of what is written to disk, and of the order in which it is written and removed. */
export const STORAGE_FAULTS: readonly Fault[] = [
  {
    name: 'asynchronous-commit',
    what: 'The embedded PostgreSQL confirms a commit before its log is on disk.',
    edits: [
      {
        file: 'packages/core/src/database/postgres-launch.ts',
        find: `synchronous_commit: 'on'`,
        replace: `synchronous_commit: 'off'`,
      },
    ],
    breaks: ['acknowledged-bytes', 'domain-order', 'gone', 'protected', 'activities', 'revoked', 'replays'],
    only: ['kill-database'],
  },
  {
    name: 'file-beside-row',
    what: 'The file of a pack is created while its row is inserted.',
    edits: [
      {
        file: `${SERVICES}/packs/open-packs.ts`,
        find: '    const created = core.now();\n    await db(core)',
        replace: '    const created = core.now();\n    const file = core.packs.create(id);\n    await db(core)',
      },
      {
        file: `${SERVICES}/packs/open-packs.ts`,
        find: '    return core.packs.create(id);\n',
        replace: '    return file;\n',
      },
    ],
    breaks: ['orphans', 'doctor'],
    only: ['kill-at-step:pack.created', 'kill-database'],
  },
  {
    name: 'ignored-spool-error',
    what: 'A zip archive whose temporary file cannot be written counts as a damaged archive.',
    edits: [
      {
        file: 'apps/api/src/api-host/archives/spooled-file.ts',
        find: 'const { bytesWritten } = await this.#handle.write(bytes, written, bytes.length - written, this.#size);',
        replace: `const { bytesWritten } = await this.#handle
        .write(bytes, written, bytes.length - written, this.#size)
        .catch(() => ({ bytesWritten: bytes.length - written }));`,
      },
    ],
    breaks: ['answers'],
    only: ['full-disk'],
  },
];
