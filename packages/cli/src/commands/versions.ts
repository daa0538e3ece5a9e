import { ClientError } from '@berth/client';
import { moment } from '@berth/client/amounts';
import { DEPLOYMENT_ID, type DomainVersion } from '@berth/contract';
import { UsageError } from '@berth/terminal';
import type { Command } from 'commander';
import type { ErrorContext } from '../failure.ts';
import { openProject } from '../project/open-project.ts';
import type { Session } from '../session.ts';
import { parseLimit, parseSite } from '../values.ts';
import { inSession, type CommandContext, withExamples } from './define.ts';
import { fullDomain } from './domains.ts';
import { MORE_ROWS_NOTE, readPages, screenTable } from './list.ts';

const HEADING = ['deployment', 'shown from', 'until', 'linked by', 'note'];
/** How many versions a rollback searches. */
const MAX_SEARCHED_VERSIONS = 1_000;

export function addVersions(program: Command, context: CommandContext): void {
  withExamples(program.command('versions'), {
    'berth versions blog': 'lists what blog.<platform domain> has shown',
    'berth versions': 'lists what the domain of berth.json has shown',
  })
    .summary('list what a domain has shown')
    .description('List the deployments that a domain has shown, newest first.')
    .argument('[domain]', 'the name of the domain; default: that of berth.json')
    .option('--limit <number>', 'how many versions to list, or "all"', parseLimit, 20)
    .action(
      inSession<[string?], { limit: number }>(context, async (ownSession, [typed], { limit }) => {
        const { session, domain } = await openDomain(ownSession, context.errorContext, typed, 'berth versions');
        const { versions, more } = await readVersions(session, domain, limit);
        const { lines } = screenTable(session, HEADING, versions.map(toCells), ['linked by', 'until']);
        session.printResult({ domain, versions: versions.map(versionRow), more }, () => lines);
        if (versions.length === 0) session.note(`${domain} has not shown a deployment yet.`);
        if (more) session.note(MORE_ROWS_NOTE);
      }),
    );
}

export function addRollback(program: Command, context: CommandContext): void {
  withExamples(program.command('rollback'), {
    'berth rollback blog': 'shows what blog.<platform domain> showed before',
    'berth rollback blog --to calm-otter-4k9x2qd': 'shows this version again',
    'berth versions blog': 'lists the versions of the domain',
  })
    .summary('show an earlier version at a domain again')
    .description(
      'Point a domain at the deployment that it showed before, or at a named one. Repeat the command to undo it. On a terminal, it asks first.',
    )
    .argument('[domain]', 'the name of the domain; default: that of berth.json')
    .option('--to <deployment>', 'the deployment to show; default: the previous version')
    .action(
      inSession<[string?], { to?: string }>(context, async (ownSession, [typed], { to }) => {
        if (typed !== undefined && DEPLOYMENT_ID.test(typed))
          throw new UsageError(`${typed} is a deployment. Name the domain too: berth rollback <domain> --to ${typed}`);
        const { session, domain } = await openDomain(ownSession, context.errorContext, typed, 'berth rollback');
        await rollback(session, domain, to === undefined ? undefined : parseSite(to));
      }),
    );
}

async function rollback(session: Session, domain: string, named: string | undefined): Promise<void> {
  const { client, printResult, note, confirm } = session;
  const { deployment: shown } = await client.api.domains.get.query({ domain });
  const target = named ?? (await findPreviousVersion(session, domain, shown));
  await confirm(`${domain} shows ${shown ?? 'nothing'}. Show ${target} instead?`);
  const updated = await client.api.domains.put.mutate({ domain, deployment: target });
  printResult({ domain: updated, before: shown }, () => [updated.url]);
  note(
    shown === updated.deployment
      ? `${domain} already showed ${shown}.`
      : `${domain} shows ${updated.deployment} now.${shown === null ? '' : ` To undo: berth rollback ${domain} --to ${shown}`}`,
  );
}

/** Returns the newest version that the domain can show again. @throws ClientError `refused` if there is no such version. */
async function findPreviousVersion(session: Session, domain: string, shown: string | null): Promise<string> {
  const { versions } = await readVersions(session, domain, MAX_SEARCHED_VERSIONS);
  const previous = versions.find(({ deployment, available }) => available && deployment !== shown);
  if (previous !== undefined) return previous.deployment;
  const isOnlyVersion = versions.every(({ deployment }) => deployment === shown);
  throw new ClientError(
    'refused',
    isOnlyVersion
      ? `${domain} has no earlier version`
      : `${domain} cannot show an earlier version again: all were deleted or taken down, or expire. To list them: berth versions ${domain}`,
  );
}

async function readVersions(
  { client }: Session,
  domain: string,
  limit: number,
): Promise<{ versions: DomainVersion[]; more: boolean }> {
  const { rows, more } = await readPages(
    limit,
    (query) => client.api.domains.versions.query({ domain, ...query }),
    (page) => page.versions,
  );
  return { versions: rows, more };
}

/**
 * Returns the full name of a domain, and the session for its server. Without a name, the project file decides both.
 *
 * @param command The command, for the error message.
 * @throws UsageError if neither the command line nor `berth.json` names a domain.
 */
async function openDomain(
  session: Session,
  errorContext: ErrorContext,
  typed: string | undefined,
  command: string,
): Promise<{ session: Session; domain: string }> {
  if (typed !== undefined) return { session, domain: await fullDomain(session.client, typed) };
  const opened = await openProject(session, errorContext);
  const domain = opened.project?.domain;
  if (domain === undefined)
    throw new UsageError(`The domain is missing. Name it, as in "${command} blog", or add "domain" to berth.json`);
  return { session: opened.session, domain: await fullDomain(opened.session.client, domain) };
}

/** Converts a version to the stable shape of `--json`. */
function versionRow({ deployment, linked, unlinked, by, available }: DomainVersion) {
  return { deployment, linked, unlinked, by, available };
}

function toCells({ deployment, linked, unlinked, by, available }: DomainVersion): string[] {
  const note = unlinked === null ? 'shown now' : available ? '-' : 'not available';
  return [deployment, moment(linked), moment(unlinked), by, note];
}
