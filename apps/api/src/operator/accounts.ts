import {
  actForAccount,
  addMember,
  deleteAccount,
  getAccount,
  getBilling,
  listAccounts,
  listMembers,
  registerAccount,
  removeMember,
  setAccountState,
} from '@berth/core/operator';
import { columns, UsageError } from '@berth/terminal';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseEmail } from '../config/config-values.ts';
import {
  examples,
  findAccount,
  formatBytes,
  formatJson,
  formatList,
  formatTime,
  JSON_OPTION,
  type JsonOption,
  NO_PLANS,
  type OpenSession,
} from './session.ts';

interface CreateOptions extends JsonOption {
  plan?: string;
  name?: string;
  period: 'month' | 'year';
}

export function addAccounts(program: Command, open: OpenSession): void {
  const accounts = program
    .command('accounts')
    .description('Create, list, show, suspend, terminate and delete accounts.');

  accounts
    .command('create')
    .description('Create an account. It has no key yet: use "keys create" to create one.')
    .argument('<email>', 'the e-mail address of its owner', emailOf)
    .option('--plan <plan>', 'the plan (default: DEFAULT_PLAN)')
    .option('--name <name>', 'a display name')
    .addOption(
      new Option('--period <period>', 'the billing period').choices(['month', 'year'] as const).default('month'),
    )
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examples('accounts create ada@example.com', 'accounts create ada@example.com --plan pro --name "Ada Lovelace"'),
    )
    .action(async (email: string, { name, period, json, ...options }: CreateOptions) => {
      const { core, config, print } = await open();
      const { plan = config.defaultPlan.plan } = options;
      const plans = core.plans.all.map((entry) => entry.plan);
      if (plans.length === 0 && options.plan !== undefined) throw new Error(NO_PLANS);
      if (plans.length > 0 && !plans.includes(plan))
        throw new Error(`"${plan}" is not a plan; use one of ${plans.join(', ')}.`);
      const account = await registerAccount(core, { email, plan, name: name?.trim() || null, period });
      if (json) return print(formatJson({ account, email, plan }));
      const onPlan = plans.length > 0 ? ` on plan ${plan}` : '';
      print(`Created account ${account} of ${email}${onPlan}. Create a key next: keys create ${account}`);
    });

  accounts
    .command('list')
    .description('List all accounts with their size and last change, oldest first.')
    .option(...JSON_OPTION)
    .action(async ({ json }: JsonOption) => {
      const { core, print } = await open();
      const rows = await listAccounts(core);
      print(json ? formatJson({ accounts: rows }) : formatAccounts(rows, core.plans.all.length > 0));
    });

  accounts
    .command('show <account>')
    .description('Show an account: plan, usage, state, scheduled changes.')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('accounts show ada@example.com'))
    .action(async (named: string, { json }: JsonOption) => {
      const { core, print } = await open();
      // Both describe the credential of a request.
      const { authMethod: _authMethod, used: _used, ...account } = await getAccount(await actForAccount(core, named));
      const details = { ...account, ...(await getBilling(core, account.account)) };
      print(json ? formatJson(details) : formatAccount(details, core.plans.all.length > 0));
    });

  addStateCommand(accounts, open, 'suspend', 'suspended')
    .description('Suspend an account. Its sites show that they are paused.')
    .addOption(reasonOption())
    .addHelpText('after', examples('accounts suspend ada@example.com --reason "Phishing, reported 3 May"'));
  addStateCommand(accounts, open, 'activate', 'active').description('Reactivate a suspended or terminated account.');
  addStateCommand(accounts, open, 'terminate', 'terminated')
    .description(
      'Terminate an account. Its sites respond with 404. Nothing is deleted; "accounts activate" reverses it.',
    )
    .option('--yes', 'confirm (required)')
    .addOption(reasonOption())
    .addHelpText('after', examples('accounts terminate ada@example.com --yes'));

  accounts
    .command('delete <account>')
    .description(
      'Delete an account with its sites, domains, keys, members and activities. Its sites respond with 404 at once. ' +
        'This cannot be undone; use "accounts terminate" if you may need it again.',
    )
    .option('--yes', 'confirm (required)')
    .addHelpText('after', examples('accounts delete ada@example.com --yes'))
    .action(async (named: string, { yes }: { yes?: boolean }) => {
      if (!yes) throw new UsageError(`Pass --yes to confirm that everything of ${named} is deleted`);
      const { core, print } = await open();
      const scope = await actForAccount(core, named);
      const { account } = await deleteAccount(scope, scope.caller.account);
      print(`Account ${account} was deleted.`);
    });
}

export function addMembers(program: Command, open: OpenSession): void {
  const members = program.command('members').description('Add, list and remove members of an account.');

  members
    .command('add <account>')
    .argument('<email>', 'the e-mail address of the member', emailOf)
    .description('Add a member to an account.')
    .addHelpText('after', examples('members add ada@example.com grace@example.com'))
    .action(async (named: string, member: string) => {
      const { core, print } = await open();
      const scope = await actForAccount(core, named);
      const { email } = await addMember(scope, member);
      print(`${email} is now a member of account ${scope.caller.account}.`);
    });

  members
    .command('list <account>')
    .description('List the members of an account, the owner first.')
    .option(...JSON_OPTION)
    .action(async (named: string, { json }: JsonOption) => {
      const { core, print } = await open();
      const { members: rows } = await listMembers(await actForAccount(core, named));
      if (json) return print(formatJson({ members: rows }));
      const cells = rows.map(({ email, role, created }) => [email, role, formatTime(created)]);
      print(formatList(['email', 'role', 'since'], cells, 'The account has no members.'));
    });

  members
    .command('remove <account> <email>')
    .description('Remove a member from an account.')
    .action(async (named: string, member: string) => {
      const { core, print } = await open();
      const scope = await actForAccount(core, named);
      const { email } = await removeMember(scope, member);
      print(`${email} is no longer a member of account ${scope.caller.account}.`);
    });
}

type AccountState = 'active' | 'suspended' | 'terminated';

interface StateOptions {
  yes?: boolean;
  reason?: string;
}

const MAX_REASON_LENGTH = 500;

function reasonOption(): Option {
  return new Option('--reason <text>', 'the reason, which the members of the account see').argParser((text) => {
    const reason = text.trim();
    if (reason === '' || reason.length > MAX_REASON_LENGTH || /\p{Cc}/u.test(reason))
      throw new InvalidArgumentError(`It must be one line of 1 to ${MAX_REASON_LENGTH} characters.`);
    return reason;
  });
}

function addStateCommand(accounts: Command, open: OpenSession, verb: string, state: AccountState): Command {
  return accounts.command(`${verb} <account>`).action(async (named: string, { yes, reason }: StateOptions) => {
    if (state === 'terminated' && !yes)
      throw new UsageError(`Pass --yes to confirm that all sites of ${named} become unavailable`);
    const { core, print } = await open();
    const account = await findAccount(core, named);
    const { from, changed } = await setAccountState(core, account, state, { reason });
    if (!changed) print(`Account ${account} is already ${state}.`);
    else if (from === state) print(`Account ${account} is ${state} for a new reason.`);
    else print(`Account ${account} was ${from} and is now ${state}.`);
  });
}

function formatAccounts(accounts: Awaited<ReturnType<typeof listAccounts>>, hasPlans: boolean): string {
  return formatList(
    ['account', 'email', ...(hasPlans ? ['plan'] : []), 'state', 'deployments', 'size', 'last change', 'created'],
    accounts.map(({ account, email, plan, state, deployments, storage, changed, created }) => [
      account,
      email,
      ...(hasPlans ? [plan] : []),
      state,
      `${deployments}`,
      formatBytes(storage),
      formatTime(changed),
      formatTime(created),
    ]),
    'There are no accounts. The first start of a server creates the account of the owner.',
  );
}

type AccountDetails = Omit<Awaited<ReturnType<typeof getAccount>>, 'authMethod' | 'used'> &
  Awaited<ReturnType<typeof getBilling>>;

function formatAccount(account: AccountDetails, hasPlans: boolean): string {
  const { usage, caps, scheduled, hint } = account;
  const usageOf = (key: Exclude<keyof typeof usage, 'storage'>) =>
    `${usage[key]} of ${caps ? caps[key] : 'any number'}`;
  const storageCap = caps?.storage === undefined ? 'any amount' : formatBytes(caps.storage);
  return columns([
    ['Account', account.account],
    ['E-mail', account.email],
    ['Name', account.name ?? '-'],
    ['State', account.stateReason === null ? account.state : `${account.state}: ${account.stateReason}`],
    ...(hasPlans
      ? ([
          ['Plan', account.plan],
          ['Billed', `by the ${account.period}; the current period ends ${formatTime(account.periodEnds)}`],
          ['Scheduled', scheduled ? `${scheduled.plan}, ${formatTime(scheduled.due)}` : '-'],
        ] as const)
      : []),
    ['Deployments', usageOf('deployments')],
    ['Platform domains', usageOf('platformDomains')],
    ['Custom domains', usageOf('customDomains')],
    ['Members', usageOf('seats')],
    ['Storage', `${formatBytes(usage.storage)} of ${storageCap}`],
    ['Newest key', hint ? `…${hint}` : '-'],
    ['Created', formatTime(account.created)],
  ]).join('\n');
}

function emailOf(text: string): string {
  try {
    return parseEmail(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
