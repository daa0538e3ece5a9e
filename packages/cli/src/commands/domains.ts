import { moment } from '@berth/client/amounts';
import type { Domain, DomainCheck } from '@berth/contract';
import { columns, table } from '@berth/terminal';
import type { Command } from 'commander';
import { collect, parseSite } from '../values.ts';
import { examples, inSession, type CommandContext } from './define.ts';
import { addList } from './list.ts';
import { fullDomain } from './platform-domain.ts';

/** Adds `berth domains`: names that stay while deployments change. */
export function addDomains(program: Command, context: CommandContext): void {
  const domains = program
    .command('domains')
    .summary('list, point, verify and delete domains')
    .description(
      'List and change domains: names that point at deployments. A name without a dot is a subdomain of the platform domain.',
    )
    .addHelpText(
      'after',
      examples(
        ['berth domains set blog calm-otter-4k9x2qd', 'points blog.<platform domain> at a deployment'],
        ['berth domains set www.example.com', 'adds a custom domain'],
        ['berth domains records www.example.com', 'lists the DNS records that it needs'],
        ['berth domains verify www.example.com', 'checks its DNS records'],
      ),
    );

  addList(domains, context, {
    name: 'domains',
    read: (client, query) => client.api.domains.list.query(query),
    description: 'List domains, newest first.',
    heading: ['domain', 'status', 'deployment', 'linked', 'labels'],
    toCells: ({ domain, status, deployment, linked, labels }) => [
      domain,
      status,
      deployment ?? '-',
      moment(linked),
      labels.join(' ') || '-',
    ],
    emptyNote: 'There are no domains yet.',
  });

  addSet(domains, context);
  addVerify(domains, context);
  addRecords(domains, context);
  addShare(domains, context);
  addDelete(domains, context);
}

function addSet(domains: Command, context: CommandContext): void {
  domains
    .command('set')
    .description('Create a domain, or point it at another deployment.')
    .argument('<domain>', 'its name')
    .argument('[deployment]', 'the deployment to point at; omit it to keep the current one')
    .option('--label <label>', 'a label that replaces the current ones; may be repeated', collect)
    .action(
      inSession<[string, string?], { label?: string[] }>(
        context,
        async ({ client, printResult, note }, [name, site], { label }) => {
          const domain = await fullDomain(client, name);
          const deployment = site && { deployment: parseSite(site) };
          const set = await client.api.domains.put.mutate({ domain, ...deployment, ...(label && { labels: label }) });
          printResult({ domain: set }, () => describe(set));
          if (set.status === 'pending' || set.status === 'partial')
            note(`The domain needs DNS records: berth domains records ${set.domain}`);
        },
      ),
    );
}

function addVerify(domains: Command, context: CommandContext): void {
  domains
    .command('verify')
    .description('Check the DNS records of a domain now.')
    .argument('<domain>', 'its name')
    .action(
      inSession<[string]>(context, async ({ client, printResult }, [name]) => {
        const { checks, nextCheck, ...domain } = await client.api.domains.verify.mutate({
          domain: await fullDomain(client, name),
        });
        printResult({ domain, checks: checks.map(checkRow), nextCheck }, () => [
          ...describe(domain),
          '',
          ...table(
            ['', 'type', 'name', 'expected', 'found'],
            checks.map(({ ok, type, name, expected, found }) => [
              ok ? 'ok' : 'missing',
              type,
              name,
              expected.join(' '),
              found.join(' ') || '-',
            ]),
          ),
        ]);
      }),
    );
}

function addRecords(domains: Command, context: CommandContext): void {
  domains
    .command('records')
    .description('List the DNS records that a domain needs.')
    .argument('<domain>', 'its name')
    .action(
      inSession<[string]>(context, async ({ client, printResult }, [name]) => {
        const needed = await client.api.domains.records.query({ domain: await fullDomain(client, name) });
        printResult(needed, () =>
          table(
            ['type', 'name', 'value'],
            needed.records.map(({ type, name, value }) => [type, name, value]),
          ),
        );
      }),
    );
}

function addShare(domains: Command, context: CommandContext): void {
  domains
    .command('share')
    .description('Print the link of a page with those records, for the person who manages the DNS.')
    .argument('<domain>', 'its name')
    .action(
      inSession<[string]>(context, async ({ client, printResult }, [name]) => {
        const { domain, url } = await client.api.domains.share.query({ domain: await fullDomain(client, name) });
        printResult({ domain, url }, () => [url]);
      }),
    );
}

function addDelete(domains: Command, context: CommandContext): void {
  domains
    .command('delete')
    .description('Delete a domain. Its deployment stays published.')
    .argument('<domain>', 'its name')
    .action(
      inSession<[string]>(context, async ({ client, printResult }, [name]) => {
        const deleted = await client.api.domains.delete.mutate({ domain: await fullDomain(client, name) });
        printResult(deleted, () => [`Deleted ${deleted.domain}.`]);
      }),
    );
}

function checkRow({ type, name, expected, found, ok, reason }: DomainCheck) {
  return { type, name, expected, found, ok, reason: reason ?? null };
}

function describe({ url, status, deployment, labels, created, linked }: Domain): string[] {
  return columns([
    ['url', url],
    ['status', status],
    ['deployment', deployment ?? '-'],
    ['labels', labels.join(' ') || '-'],
    ['created', moment(created)],
    ['linked', moment(linked)],
  ]);
}
