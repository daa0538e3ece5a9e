import {
  actForAccount,
  getAccount,
  getBilling,
  listAccounts,
  registerAccount,
  setAccountState,
} from '@berth/core/operator';
import { parseEmail } from '../config/config-values.ts';
import { type Command, type Input, JSON_OPTION, printJson, UsageError } from './command.ts';
import { formatBytes, columns, table, formatTime } from './table.ts';

const PERIODS = ['month', 'year'] as const;

const create: Command = {
  name: 'accounts create',
  summary: 'Create an account.',
  details: ['The account has no key yet. Use "keys create" to create one.'],
  arguments: ['email'],
  options: {
    plan: { value: 'plan', help: 'The plan. Default: DEFAULT_PLAN.' },
    name: { value: 'name', help: 'A display name.' },
    period: { value: 'month|year', help: 'The billing period. Default: month.' },
    ...JSON_OPTION,
  },
  examples: ['accounts create ada@example.com', 'accounts create ada@example.com --plan pro --name "Ada Lovelace"'],
  check(input) {
    readEmail(input);
    readPeriod(input);
  },
  async run(session, input) {
    const { core, config } = session;
    const plan = input.option('plan') ?? config.defaultPlan.plan;
    if (!core.plans.all.some((known) => known.plan === plan))
      throw new Error(`"${plan}" is not a plan; use one of ${core.plans.all.map((known) => known.plan).join(', ')}.`);
    const email = readEmail(input);
    const account = await registerAccount(core, {
      email,
      plan,
      name: input.option('name')?.trim() || null,
      period: readPeriod(input),
    });
    if (input.has('json')) printJson(session, { account, email, plan });
    else
      session.print(
        `Created account ${account} of ${email} on plan ${plan}. Create a key next: keys create ${account}`,
      );
  },
};

const list: Command = {
  name: 'accounts list',
  summary: 'List all accounts, oldest first.',
  options: JSON_OPTION,
  examples: ['accounts list', 'accounts list --json'],
  async run(session, input) {
    const accounts = await listAccounts(session.core);
    if (input.has('json')) printJson(session, { accounts });
    else
      session.print(
        table(
          ['account', 'email', 'plan', 'state', 'deployments', 'created'],
          accounts.map((row) => [
            row.account,
            row.email,
            row.plan,
            row.state,
            `${row.deployments}`,
            formatTime(row.created),
          ]),
          'There are no accounts. The first start of a server creates the account of the owner.',
        ),
      );
  },
};

const show: Command = {
  name: 'accounts show',
  summary: 'Show an account: plan, usage, state, scheduled changes.',
  arguments: ['account'],
  options: JSON_OPTION,
  examples: ['accounts show ada@example.com'],
  async run(session, input) {
    const scope = await actForAccount(session.core, input.get('account'));
    const { authMethod: _, ...account } = await getAccount(scope);
    const billing = await getBilling(session.core, account.account);
    if (input.has('json')) return printJson(session, { ...account, ...billing });
    const { usage, caps } = account;
    const used = (key: Exclude<keyof typeof usage, 'storage'>) => `${usage[key]} of ${caps ? caps[key] : 'any number'}`;
    const lines = columns([
      ['Account', account.account],
      ['E-mail', account.email],
      ['Name', account.name ?? '-'],
      ['State', billing.state],
      ['Plan', account.plan],
      ['Billed', `by the ${billing.period}; the current period ends ${formatTime(billing.periodEnds)}`],
      ['Scheduled', billing.scheduled ? `${billing.scheduled.plan}, ${formatTime(billing.scheduled.due)}` : '-'],
      ['Deployments', used('deployments')],
      ['Platform domains', used('platformDomains')],
      ['Custom domains', used('customDomains')],
      ['Members', used('seats')],
      [
        'Storage',
        `${formatBytes(usage.storage)} of ${caps?.storage === undefined ? 'any amount' : formatBytes(caps.storage)}`,
      ],
      ['Newest key', account.hint ? `…${account.hint}` : '-'],
      ['Created', formatTime(account.created)],
    ]);
    session.print(lines.join('\n'));
  },
};

const suspend = stateCommand('suspended', {
  name: 'accounts suspend',
  summary: 'Suspend an account. Its sites show that they are paused.',
  examples: ['accounts suspend ada@example.com'],
});

const activate = stateCommand('active', {
  name: 'accounts activate',
  summary: 'Reactivate a suspended or terminated account.',
  examples: ['accounts activate ada@example.com'],
});

const terminate = stateCommand('terminated', {
  name: 'accounts terminate',
  summary: 'Terminate an account. Its sites respond with 404.',
  details: ['Nothing is deleted; "accounts activate" reverses it.'],
  options: { yes: { help: 'Confirm. Required.' } },
  examples: ['accounts terminate ada@example.com --yes'],
  check(input) {
    if (!input.has('yes'))
      throw new UsageError(
        `Pass --yes to confirm that all sites of ${input.get('account')} become unavailable`,
        terminate,
      );
  },
});

/** Creates a command that sets the state of an account. */
function stateCommand(
  state: 'active' | 'suspended' | 'terminated',
  command: Omit<Command, 'arguments' | 'run'>,
): Command {
  return {
    ...command,
    arguments: ['account'],
    async run({ core, print }, input) {
      const { account } = (await actForAccount(core, input.get('account'))).caller;
      const { from } = await setAccountState(core, account, state);
      print(
        from === state
          ? `Account ${account} is already ${state}.`
          : `Account ${account} was ${from} and is now ${state}.`,
      );
    },
  };
}

function readEmail(input: Input): string {
  try {
    return parseEmail(input.get('email'));
  } catch (error) {
    throw new UsageError((error as Error).message, create);
  }
}

function readPeriod(input: Input): (typeof PERIODS)[number] {
  const period = input.option('period') ?? 'month';
  const known = PERIODS.find((each) => each === period);
  if (!known) throw new UsageError(`--period must be month or year, not ${JSON.stringify(period)}`, create);
  return known;
}

export const accountCommands: readonly Command[] = [create, list, show, suspend, activate, terminate];
