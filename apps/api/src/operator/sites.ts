import { applyDuePlanChanges, sweep } from '@berth/core/jobs';
import { setTakenDown } from '@berth/core/operator';
import type { Command } from 'commander';
import { examples, formatJson, JSON_OPTION, type JsonOption, type OpenSession } from './session.ts';

const FENCE_WAIT_MS = 5_000;

export function addSites(program: Command, open: OpenSession): void {
  const sites = program.command('sites').description('Take sites down, and restore them.');

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

export function addSweep(program: Command, open: OpenSession): void {
  program
    .command('sweep')
    .summary('Run the sweep now. Every server runs it once a minute.')
    .description(
      'Run the sweep now. Every server runs it once a minute. ' +
        'Expires deployments, removes files of deleted ones, and applies plan changes that are due.',
    )
    .option(...JSON_OPTION)
    .action(async ({ json }: JsonOption) => {
      const { core, config, print } = await open();
      const report = await sweep(core, { ...config.sweep, fenceWaitMs: FENCE_WAIT_MS });
      const planChanges = await applyDuePlanChanges(core);
      if (json) return print(formatJson({ ...report, planChanges }));
      const { expired, deployments, packs, fenced } = report;
      print(
        `Expired ${expired} deployments, removed ${deployments} deployments and ${packs} packs, applied ${planChanges} plan changes.`,
      );
      if (!fenced) print('Deploys were in progress. The next sweep removes unused packs.');
    });
}
