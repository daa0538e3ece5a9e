import { type BerthClient, ClientError, findWholeName } from '@berth/client';
import { moment } from '@berth/client/amounts';
import type { Domain, DomainCheck } from '@berth/contract';
import { columns, table } from '@berth/terminal';
import type { Command } from 'commander';
import { collect, parseSite } from '../values.ts';
import { inSession, type CommandContext, verbAdder, withExamples } from './define.ts';
import { addList } from './list.ts';
import type { Session } from '../session.ts';
import { confirmReplacing } from './replacing.ts';

const ARGUMENT = ['<domain>', 'the name of the domain'] as const;
const EXAMPLE = 'www.example.com';

export function addDomains(program: Command, context: CommandContext): void {
  const domains = withExamples(program.command('domains'), {
    'berth domains set blog calm-otter-4k9x2qd': 'points blog.<platform domain> at a deployment',
    'berth domains set www.example.com': 'adds a custom domain',
    'berth domains validate www.example.com': 'checks whether a name is available',
    'berth domains records www.example.com': 'lists the DNS records that the domain needs',
    'berth domains verify www.example.com': 'checks the DNS records of the domain',
  })
    .summary('list, point, verify and delete domains')
    .description(
      'List and change domains: names that point at deployments. A name without a dot is a subdomain of the platform domain.',
    );

  addList(domains, context, {
    name: 'domains',
    read: (client, query) => client.api.domains.list.query(query),
    description: 'List domains, newest first.',
    heading: ['domain', 'status', 'deployment', 'linked', 'labels', 'url'],
    toCells: (found) => [
      found.domain,
      statusText(found),
      found.deployment ?? '-',
      moment(found.linked),
      found.labels.join(' ') || '-',
      found.url,
    ],
    lessImportant: ['linked', 'labels', 'deployment', 'url'],
    emptyNote: 'There are no domains yet.',
  });

  addSet(domains, context);
  addVerbs(domains, context);
}

function addSet(domains: Command, context: CommandContext): void {
  withExamples(domains.command('set'), {
    'berth domains set blog calm-otter-4k9x2qd': 'points blog.<platform domain> at a deployment',
    'berth domains set www.example.com --label docs': 'adds a custom domain, or replaces its labels',
  })
    .description('Create a domain, or point it at another deployment.')
    .argument(...ARGUMENT)
    .argument('[deployment]', 'the deployment to point at; omit it to keep the current deployment')
    .option('--label <label>', 'a label that replaces the current labels; may be repeated', collect)
    .action(
      inSession<[string, string?], { label?: string[] }>(context, async (session, [name, site], { label }) => {
        const { client, printResult, note } = session;
        const domain = await fullDomain(client, name);
        const deployment = site ? parseSite(site) : undefined;
        if (deployment !== undefined) await confirmReplacing(session, domain, deployment);
        const updatedDomain = await client.api.domains.put.mutate({ domain, deployment, labels: label });
        printResult({ domain: updatedDomain }, () => describeDomain(updatedDomain));
        noteMissingRecords(note, updatedDomain);
      }),
    );
}

function addVerbs(domains: Command, context: CommandContext): void {
  const addVerb = verbAdder(domains, context, [...ARGUMENT, EXAMPLE], ({ client }, typed) => fullDomain(client, typed));

  addVerb('get', 'Show a domain.', async ({ client, printResult, note }, name) => {
    const domain = await client.api.domains.get.query({ domain: name });
    printResult({ domain }, () => describeDomain(domain));
    noteMissingRecords(note, domain);
  });

  addVerb('validate', 'Check whether a name is available.', validate);

  addVerb('verify', 'Check the DNS records of a domain now.', async ({ client, printResult }, name) => {
    const { checks, nextCheck, ...domain } = await client.api.domains.verify.mutate({ domain: name });
    const cells = checks.map(({ ok, type, name, expected, found }) => [
      ok ? 'ok' : 'missing',
      type,
      name,
      expected.join(' '),
      found.join(' ') || '-',
    ]);
    printResult({ domain, checks: checks.map(checkRow), nextCheck }, () => [
      ...describeDomain(domain),
      '',
      ...table(['', 'type', 'name', 'expected', 'found'], cells),
    ]);
  });

  addVerb('records', 'List the DNS records that a domain needs.', async ({ client, printResult }, domain) => {
    const neededRecords = await client.api.domains.records.query({ domain });
    const cells = neededRecords.records.map(({ type, name, value }) => [type, name, value]);
    printResult(neededRecords, () => table(['type', 'name', 'value'], cells));
  });

  addVerb(
    'share',
    'Print the link of a page with the DNS records. The person who manages the DNS needs no account to open it.',
    async ({ client, printResult }, name) => {
      const { domain, url } = await client.api.domains.share.query({ domain: name });
      printResult({ domain, url }, () => [url]);
    },
  );

  addVerb(
    'delete',
    'Delete a domain. Its deployment stays published.',
    async ({ client, printResult, confirm }, domain) => {
      await confirm(`Delete ${domain}? The site is no longer shown at this name.`);
      const deletedDomain = await client.api.domains.delete.mutate({ domain });
      printResult(deletedDomain, () => [`Deleted ${deletedDomain.domain}.`]);
    },
  );
}

function noteMissingRecords(note: Session['note'], { domain, status }: Domain): void {
  if (status === 'pending' || status === 'partial')
    note(`The domain needs DNS records: berth domains records ${domain}`);
}

/** @throws ClientError `refused` for a name that is invalid or not available. Its details are the answer of the server. */
async function validate({ client, printResult }: Session, name: string): Promise<void> {
  const validation = await client.api.domains.validate.mutate({ domain: name });
  const { valid, available, normalized, reason } = validation;
  if (!valid || !available)
    throw new ClientError('refused', `${name} cannot be used: ${reason ?? 'another account uses this domain'}`, {
      details: validation,
    });
  printResult(validation, () => [`${normalized} is available.`]);
}

/**
 * Returns the full name of a domain, as {@link findWholeName} does. Without a key or with a server that is too old, the name
 * stays unchanged.
 *
 * @throws ClientError.
 */
export async function fullDomain(client: BerthClient, typed: string): Promise<string> {
  const name = parseSite(typed);
  // Without a key, the call that uses the name reports the missing key.
  if (client.key === null) return name;
  return (await findWholeName(client, name)) ?? name;
}

const STATUS_TEXTS: Record<Domain['status'], string> = {
  pending: 'no DNS records yet',
  partial: 'some DNS records',
  success: 'live',
  paused: 'paused',
};

/** Describes the status of a domain. A status that this version does not know is shown as the server sent it. */
function statusText({ status, deployment }: Domain): string {
  return status === 'success' && deployment === null ? 'shows nothing' : (STATUS_TEXTS[status] ?? status);
}

function checkRow({ type, name, expected, found, ok, reason }: DomainCheck) {
  return { type, name, expected, found, ok, reason: reason ?? null };
}

function describeDomain(domain: Domain): string[] {
  const { url, deployment, labels, created, linked } = domain;
  return columns([
    ['url', url],
    ['status', statusText(domain)],
    ['deployment', deployment ?? '-'],
    ['labels', labels.join(' ') || '-'],
    ['created', moment(created)],
    ['linked', moment(linked)],
  ]);
}
