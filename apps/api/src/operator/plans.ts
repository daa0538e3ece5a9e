import { actForAccount, changePlan, type PlanChangeOutcome } from '@berth/core/operator';
import { type Command, JSON_OPTION, printJson } from './command.ts';
import { formatBytes, table } from './table.ts';

const list: Command = {
  name: 'plans list',
  summary: 'List the plans and their caps, lowest first.',
  options: JSON_OPTION,
  examples: ['plans list'],
  async run(session, input) {
    const plans = session.core.plans.all;
    if (input.has('json')) return printJson(session, { plans });
    session.print(
      table(
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
        'There are no plans.',
      ),
    );
  },
};

const set: Command = {
  name: 'plans set',
  summary: 'Change the plan of an account.',
  details: [
    'An upgrade takes effect at once, a downgrade at the end of the billing period. Choosing the current plan cancels',
    'a scheduled downgrade. Custom domains beyond the new plan are paused, newest first; nothing is deleted.',
  ],
  arguments: ['account', 'plan'],
  options: { now: { help: 'Apply a downgrade at once.' }, ...JSON_OPTION },
  examples: ['plans set ada@example.com pro', 'plans set ada@example.com free --now'],
  async run(session, input) {
    const { account } = (await actForAccount(session.core, input.get('account'))).caller;
    const outcome = await changePlan(session.core, account, input.get('plan'), { atOnce: input.has('now') });
    if (input.has('json'))
      return printJson(session, {
        account,
        ...outcome,
        due: outcome.due && Math.floor(outcome.due.getTime() / 1000),
      });
    session.print(describeOutcome(account, outcome));
    if (outcome.paused.length > 0) session.print(`Paused: ${outcome.paused.join(', ')}`);
    if (outcome.resumed.length > 0) session.print(`Resumed: ${outcome.resumed.join(', ')}`);
  },
};

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

export const planCommands: readonly Command[] = [list, set];
