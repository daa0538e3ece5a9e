import type { Fault } from './fault.ts';

const SERVICES = 'packages/core/src/services';
const API = 'apps/api/src';
const TWO_NODES = ['--nodes', '2', '--storage', 's3'];

/** Faults that need several nodes, an object store, or a network between node and database. */
export const NODE_FAULTS: readonly Fault[] = [
  {
    name: 'forgotten-changes',
    what: 'Entries of the change log are deleted after a second, although a process may not have read them.',
    edits: [
      { file: `${SERVICES}/changes.ts`, find: 'const KEPT_MS = 600_000;', replace: 'const KEPT_MS = 1_000;' },
      {
        file: `${API}/service/jobs.ts`,
        find: `name: 'delete old changes', everyMs: SWEEP_MS,`,
        replace: `name: 'delete old changes', everyMs: FRONT_PAGES_MS,`,
      },
    ],
    breaks: ['gone'],
    only: ['stop-node'],
    options: TWO_NODES,
    seconds: 150,
  },
  {
    name: 'lease-asked-once',
    what: 'A server asks for the lease of the jobs only at its start.',
    edits: [
      {
        file: `${API}/service/leased-jobs.ts`,
        find: `  while (!stopping.aborted) {
    const lease`,
        replace: `  for (let isAsked = false; !stopping.aborted && !isAsked; isAsked = true) {
    const lease`,
      },
    ],
    breaks: ['jobs'],
    only: ['lose-node'],
    options: TWO_NODES,
    seconds: 180,
  },
  {
    name: 'ignored-removal',
    what: 'An object that the store has refused to remove counts as removed.',
    edits: [
      {
        file: 'packages/core/src/storage/s3/s3-packs.ts',
        find: `    await removeObject(bucket, keyOf(pack)).catch((error: unknown) => {
      throw storeFailed(\`remove pack \${pack}\`, error);
    });
`,
        replace: '    await removeObject(bucket, keyOf(pack)).catch(() => {});\n',
      },
    ],
    breaks: ['orphans'],
    only: ['store-slow-down', 'store-outage'],
    options: TWO_NODES,
    seconds: 150,
  },
  {
    name: 'dropped-at-unknown-commit',
    what: 'If the outcome of a COMMIT is unknown, the pack of a deploy to a domain, or of the contents of an upload, is dropped.',
    edits: [
      {
        file: `${SERVICES}/deployments/deploy.ts`,
        find: 'const outcome = await commitWithPack(core, pack, (em) => publish(em, scope, publication));',
        replace: `const outcome = settings.target
        ? await core.database.transaction((em) => publish(em, scope, publication))
        : await commitWithPack(core, pack, (em) => publish(em, scope, publication));
      if (outcome.packUsed) pack.keep();`,
      },
      {
        file: `${SERVICES}/uploads/receive-contents.ts`,
        find: 'await commitWithPack(core, pack, (em) => recordContents(em, scope, upload, completeContents, newPack));',
        replace: `const outcome = await core.database.transaction((em) =>
          recordContents(em, scope, upload, completeContents, newPack),
        );
        if (outcome.packUsed) pack.keep();`,
      },
    ],
    breaks: ['acknowledged-bytes', 'answers', 'doctor', 'orphans'],
    only: ['lose-commit-answers'],
    options: TWO_NODES,
    seconds: 240,
  },
  {
    name: 'no-drain',
    what: 'A server closes its port as soon as it is asked to stop, whatever DRAIN_SECONDS says.',
    edits: [{ file: `${API}/run-server.ts`, find: '    await berth?.drain();\n', replace: '' }],
    breaks: ['available'],
    only: ['rolling-restart'],
    options: TWO_NODES,
  },
];
