import type { Plan } from '@berth/contract';
import { changePlan, type PlanChangeOutcome } from '@berth/core/operator';
import type { Command } from 'commander';
import {
  examples,
  findAccount,
  formatBytes,
  formatJson,
  formatList,
  JSON_OPTION,
  type JsonOption,
  NO_PLANS,
  type OpenSession,
} from './session.ts';

export function addPlans(program: Command, open: OpenSession): void {
  const plans = program.command('plans').description('List the plans, and change the plan of an account.');

  plans
    .command('list')
    .description('List the plans and their caps, lowest first.')
    .option(...JSON_OPTION)
    .action(async ({ json }: JsonOption) => {
      const { core, print } = await open();
      print(json ? formatJson({ plans: core.plans.all }) : formatPlans(core.plans.all));
    });

  plans
    .command('set <account> <plan>')
    .description(
      'Change the plan of an account. An upgrade takes effect at once, a downgrade at the end of the billing period. ' +
        'Choosing the current plan cancels a scheduled downgrade. ' +
        'Custom domains beyond the new plan are paused, newest first; nothing is deleted.',
    )
    .option('--now', 'apply a downgrade at once')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('plans set ada@example.com pro', 'plans set ada@example.com free --now'))
    .action(async (named: string, plan: string, { now = false, json }: JsonOption & { now?: boolean }) => {
      const { core, print } = await open();
      if (core.plans.all.length === 0) throw new Error(NO_PLANS);
      const account = await findAccount(core, named);
      const outcome = await changePlan(core, account, plan, { atOnce: now });
      const { due, paused, resumed } = outcome;
      if (json) return print(formatJson({ account, ...outcome, due: due && Math.floor(due.getTime() / 1000) }));
      print(describeOutcome(account, outcome));
      if (paused.length > 0) print(`Paused: ${paused.join(', ')}`);
      if (resumed.length > 0) print(`Resumed: ${resumed.join(', ')}`);
    });
}

function formatPlans(plans: readonly Plan[]): string {
  return formatList(
    ['plan', 'name', 'month', 'year', 'deployments', 'platform domains', 'custom domains', 'seats', 'storage'],
    plans.map(({ plan, name, price, caps }) => [
      plan,
      name,
      ...(price === 'contact' ? ['contact', 'contact'] : [dollars(price.month), dollars(price.year)]),
      ...(['deployments', 'platformDomains', 'customDomains', 'seats'] as const).map(
        (cap) => `${caps?.[cap] ?? 'any'}`,
      ),
      caps?.storage === undefined ? 'any' : formatBytes(caps.storage),
    ]),
    NO_PLANS,
  );
}

function describeOutcome(account: string, { outcome, from, to, due }: PlanChangeOutcome): string {
  switch (outcome) {
    case 'changed':
      return `Changed account ${account} from ${from} to ${to}.`;
    case 'scheduled':
      return `Account ${account} stays on ${from} and changes to ${to} on ${due!.toISOString().slice(0, 16).replace('T', ' at ')} UTC. Use --now to apply it at once.`;
    case 'cancelled':
      return `Account ${account} stays on ${from}; the scheduled downgrade is cancelled.`;
    case 'unchanged':
      return `Account ${account} is already on ${from}.`;
    default:
      return outcome satisfies never;
  }
}

function dollars(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`;
}
