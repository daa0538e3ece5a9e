import { ClientError } from '@berth/client';
import { bytes, count, moment } from '@berth/client/amounts';
import { type Account, kindOfCredential } from '@berth/contract';
import { columns, UsageError } from '@berth/terminal';
import type { Command } from 'commander';
import { Declined, notSignedIn } from '../failure.ts';
import { inSession, type CommandContext, withExamples } from './define.ts';
import { findKeyOwner } from './login.ts';

const CAPS = [
  ['deployments', 'deployments'],
  ['platformDomains', 'platform domains'],
  ['customDomains', 'custom domains'],
  ['seats', 'members'],
] as const;

export function addAccount(program: Command, context: CommandContext): void {
  const account = withExamples(program.command('account'), {
    'berth account': 'shows the plan and how much of it is used',
    'berth account rename "The corner shop"': 'members see this name',
    'berth account delete': 'deletes the account and all its sites',
  })
    .summary('show, rename and delete the account')
    .description('Show the plan and how much of it is used; rename or delete the account.');
  addShow(account, context);
  addRename(account, context);
  addDelete(account, context);

  program
    .command('whoami')
    .summary('show whose key is used, and on which server')
    .description(
      'Show whose key is used, where the key comes from, and on which server. Ask the server whether the key is valid.',
    )
    .action(
      inSession<[]>(context, async ({ client, server, key, printResult }) => {
        if (key.key === null) throw new ClientError('signed-out', notSignedIn(server.server));
        const kind = kindOfCredential(key.key) ?? 'api';
        const account = await findKeyOwner(client);
        const owner = { server: server.server.origin, kind, from: key.from, account };
        printResult(owner, () => [
          `${account ?? 'a deploy token'} on ${owner.server}, from ${key.from === 'environment' ? 'BERTH_KEY' : 'the stored key'}`,
        ]);
      }),
    );
}

function addShow(account: Command, context: CommandContext): void {
  withExamples(account.command('show', { isDefault: true }), { 'berth account show --json': '' })
    .description('Show the account: its plan, and how much of it is used.')
    .action(
      inSession<[]>(context, async ({ client, printResult }) => {
        const shown = await client.api.account.get.query();
        printResult({ account: shown }, () => describeAccount(shown));
      }),
    );
}

function addRename(account: Command, context: CommandContext): void {
  withExamples(account.command('rename'), {
    'berth account rename "The corner shop"': 'members see this name',
    "berth account rename ''": 'removes the name',
  })
    .description('Rename the account. Visitors of its sites do not see the name.')
    .argument('<name>', 'the new name; empty for none')
    .action(
      inSession<[string]>(context, async ({ client, printResult }, [name]) => {
        const renamed = await client.api.account.update.mutate({ name: name.trim() || null });
        printResult({ account: renamed }, () => [
          renamed.name === null ? 'The account has no name now.' : `The account is now called ${renamed.name}.`,
        ]);
      }),
    );
}

function addDelete(account: Command, context: CommandContext): void {
  withExamples(account.command('delete'), {
    'berth account delete': 'asks for the e-mail address of the account first',
  })
    .description(
      'Delete the account with all its sites, domains, keys and activities. This cannot be undone. Only the owner can do this.',
    )
    .action(
      inSession<[]>(context, async ({ client, terminal, asks, yes, printResult, signal }) => {
        if (!asks && !yes) throw new UsageError('Without a terminal, add --yes to delete the account');
        const { account: id, email, usage } = await client.api.account.get.query();
        if (asks) {
          const sites = count(usage.deployments, 'deployment');
          const question = `This deletes ${sites} and everything else. Type ${email} to delete the account: `;
          if ((await terminal.ask(question, { signal })).toLowerCase() !== email.toLowerCase()) throw new Declined();
        }
        const deleted = await client.api.account.delete.mutate({ account: id });
        printResult(deleted, () => [`Deleted the account of ${email}.`]);
      }),
    );
}

function describeAccount({ account, email, name, plan, usage, caps, created, hint, used }: Account): string[] {
  return columns([
    ['account', account],
    ['e-mail', email],
    ['name', name ?? '-'],
    ['plan', plan],
    ...CAPS.map(([cap, words]) => [words, `${usage[cap]} of ${caps?.[cap] ?? 'any number'}`]),
    ['storage', `${bytes(usage.storage)} of ${caps?.storage === undefined ? 'any amount' : bytes(caps.storage)}`],
    ['newest key', hint === null ? '-' : `…${hint}`],
    ['created', moment(created)],
    ['key last used', moment(used)],
  ]);
}
