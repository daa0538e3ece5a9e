import { ClientError } from '@berth/client';
import { bytes, count, moment } from '@berth/client/amounts';
import type { Deployment } from '@berth/contract';
import { table, UsageError } from '@berth/terminal';
import { type Command, InvalidArgumentError } from 'commander';
import type { Session } from '../session.ts';
import { parseTtl } from '../values.ts';
import { inSession, type CommandContext, withExamples } from './define.ts';
import { readPages } from './list.ts';

interface Options {
  keep: number;
  olderThan?: number;
  label?: string;
  dryRun?: boolean;
}

const DEFAULT_KEEP = 10;

export function addPrune(program: Command, context: CommandContext): void {
  withExamples(program.command('prune'), {
    'berth prune': `lists all but the ${DEFAULT_KEEP} newest, and asks before it deletes them`,
    'berth prune --older-than 30d --keep 0 --yes': 'deletes what is older than 30 days',
    'berth prune --label ci-job --dry-run': 'lists only what would be deleted',
  })
    .summary('delete old deployments that no domain shows')
    .description(
      'Delete old deployments that no domain shows. List them first, and ask. Their links stop working, and no domain can be rolled back to them.',
    )
    .option('--keep <number>', 'how many of the newest of them to keep', parseKeep, DEFAULT_KEEP)
    .option('--older-than <time>', 'only deployments older than this, such as 30d', parseTtl)
    .option('--label <label>', 'only deployments with this label')
    .option('-n, --dry-run', 'only list the deployments, and delete nothing')
    .action(inSession<[], Options>(context, async (session, _, options) => prune(session, options)));
}

async function prune(session: Session, options: Options): Promise<void> {
  const { asks, yes, printResult, note, confirm } = session;
  const { dryRun = false } = options;
  if (!dryRun && !asks && !yes)
    throw new UsageError('Without a terminal, add --yes to delete, or --dry-run to list only');
  const old = await findOldDeployments(session, options);
  if (old.length > 0 && (dryRun || asks)) session.terminal.err(describe(old, session));
  if (old.length === 0) note('There are no old deployments to delete.');
  const size = bytes(old.reduce((sum, { size }) => sum + size, 0));
  const amount = `${count(old.length, 'deployment')} (${size})`;
  if (!dryRun && old.length > 0) {
    await confirm(`Delete ${amount}? Their links stop working, and they cannot be restored.`);
    await deleteAll(session, old);
  }
  printResult({ deployments: old.map(({ deployment }) => deployment), deleted: !dryRun }, () =>
    old.map(({ deployment }) => deployment),
  );
  if (old.length > 0) note(dryRun ? `Nothing was deleted. These are ${amount}.` : `Deleted ${amount}.`);
}

/** Finds the deployments to delete, newest first. @throws ClientError `server` if an old server does not name their domains. */
async function findOldDeployments({ client }: Session, { keep, olderThan, label }: Options): Promise<Deployment[]> {
  const { rows } = await readPages(
    Infinity,
    (query) => client.api.deployments.list.query({ ...query, ...(label !== undefined && { label }) }),
    (page) => page.deployments,
  );
  if (rows.some(({ domains }: Partial<Deployment>) => domains === undefined))
    throw new ClientError('server', 'This server does not say which deployments its domains show. Update the server');
  const before = olderThan === undefined ? Infinity : Date.now() / 1000 - olderThan;
  const candidates = rows.filter(({ domains, status }) => status === 'success' && domains.length === 0);
  return candidates.slice(keep).filter(({ created }) => created < before);
}

/** Deletes deployments, the oldest first. A deployment that is gone, or that a domain shows in the meantime, is skipped. */
async function deleteAll(
  { client, terminal, json, quiet }: Session,
  deployments: readonly Deployment[],
): Promise<void> {
  let done = 0;
  try {
    for (const { deployment } of deployments.toReversed()) {
      await client.api.deployments.delete.mutate({ deployment }).catch((error: unknown) => {
        if (!(error instanceof ClientError && (error.status === 404 || error.status === 422))) throw error;
      });
      done += 1;
      if (!json && !quiet) terminal.status(`Deleting ${done} of ${deployments.length}`);
    }
  } finally {
    terminal.status('');
  }
}

function describe(deployments: readonly Deployment[], { json, quiet }: Session): string[] {
  if (json || quiet) return [];
  const cells = deployments.map(({ deployment, size, created, labels }) => [
    deployment,
    moment(created),
    bytes(size),
    labels.join(' ') || '-',
  ]);
  return table(['deployment', 'created', 'size', 'labels'], cells);
}

function parseKeep(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Write a whole number of at least 0.');
  return Number(text);
}
