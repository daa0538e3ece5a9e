import { applyDuePlanChanges, sweep } from '@berth/core/jobs';
import { listAllDomains, listSites, setTakenDown } from '@berth/core/operator';
import type { Command } from 'commander';
import {
  examples,
  findAccount,
  formatBytes,
  formatJson,
  formatList,
  formatTime,
  JSON_OPTION,
  type JsonOption,
  LIMIT_OPTION,
  type OpenSession,
} from './session.ts';

const FENCE_WAIT_MS = 5_000;

interface ListOptions extends JsonOption {
  account?: string;
  limit: number;
}

export function addSites(program: Command, open: OpenSession): void {
  const sites = program.command('sites').description('List sites, take them down, and restore them.');

  sites
    .command('list')
    .description('List the deployments of all accounts, and anonymous ones, with their size and last change.')
    .option('--account <account>', 'only those of this account')
    .option('--largest', 'the largest first (default: the newest first)')
    .option(...LIMIT_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examples('sites list', 'sites list --largest --limit 10', 'sites list --account ada@example.com'),
    )
    .action(async ({ account, largest = false, limit, json }: ListOptions & { largest?: boolean }) => {
      const { core, print } = await open();
      const owner = account === undefined ? undefined : await findAccount(core, account);
      const rows = await listSites(core, { account: owner, limit, largestFirst: largest });
      print(json ? formatJson({ sites: rows }) : formatSites(rows));
    });

  sites
    .command('take-down <deployment>')
    .description(
      'Take a site down. It responds with 451 at all its addresses. Nothing is deleted; "sites put-back" reverses it.',
    )
    .option('--reason <text>', 'the reason, which the owner sees')
    .addHelpText(
      'after',
      examples(
        'sites take-down calm-otter-4k9x2qd',
        'sites take-down https://calm-otter-4k9x2qd.sites.example.net --reason "Phishing, reported 3 May"',
      ),
    )
    .action(async (named: string, { reason }: { reason?: string }) => {
      const { core, print } = await open();
      const { deployment, changed } = await setTakenDown(core, named, true, { reason });
      print(changed ? `${deployment} was taken down.` : `${deployment} is already taken down.`);
    });

  sites
    .command('put-back <deployment>')
    .description('Restore a site that was taken down.')
    .action(async (named: string) => {
      const { core, print } = await open();
      const { deployment, changed } = await setTakenDown(core, named, false);
      print(changed ? `${deployment} was restored.` : `${deployment} is not taken down.`);
    });
}

export function addDomains(program: Command, open: OpenSession): void {
  const domains = program.command('domains').description('List the domains of all accounts.');

  domains
    .command('list')
    .description('List the domains of all accounts with the size of their sites, the one that changed last first.')
    .option('--account <account>', 'only those of this account')
    .option(...LIMIT_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', examples('domains list', 'domains list --account ada@example.com'))
    .action(async ({ account, limit, json }: ListOptions) => {
      const { core, print } = await open();
      const owner = account === undefined ? undefined : await findAccount(core, account);
      const rows = await listAllDomains(core, { account: owner, limit });
      print(json ? formatJson({ domains: rows }) : formatDomains(rows));
    });
}

export function addSweep(program: Command, open: OpenSession): void {
  program
    .command('sweep')
    .summary('Run the sweep now. Every server runs it once a minute.')
    .description(
      'Run the sweep now. Every server runs it once a minute. ' +
        'Expires deployments, removes files of deleted ones, compacts packs that are mostly unneeded, and applies plan changes that are due.',
    )
    .option(...JSON_OPTION)
    .action(async ({ json }: JsonOption) => {
      const { core, config, print } = await open();
      const report = await sweep(core, { ...config.sweep, fenceWaitMs: FENCE_WAIT_MS });
      const planChanges = await applyDuePlanChanges(core);
      if (json) return print(formatJson({ ...report, planChanges }));
      const { expired, deployments, packs, compacted, fenced } = report;
      print(
        `Expired ${expired} deployments, removed ${deployments} deployments and ${packs} packs, compacted ${compacted} packs, applied ${planChanges} plan changes.`,
      );
      if (!fenced) print('Deploys were in progress. The next sweep removes unused packs.');
    });
}

function formatSites(sites: Awaited<ReturnType<typeof listSites>>): string {
  return formatList(
    ['deployment', 'account', 'state', 'files', 'size', 'last change', 'expires', 'domains'],
    sites.map(({ deployment, account, address, status, files, size, changed, expires, domains }) => [
      deployment,
      account ?? `anonymous, ${address}`,
      status,
      `${files}`,
      formatBytes(size),
      formatTime(changed),
      formatTime(expires),
      domains.join(' ') || '-',
    ]),
    'There are no sites.',
  );
}

function formatDomains(domains: Awaited<ReturnType<typeof listAllDomains>>): string {
  return formatList(
    ['domain', 'account', 'status', 'deployment', 'size', 'last change'],
    domains.map(({ domain, account, status, deployment, size, changed }) => [
      domain,
      account,
      status,
      deployment ?? '-',
      size === null ? '-' : formatBytes(size),
      formatTime(changed),
    ]),
    'There are no domains.',
  );
}
