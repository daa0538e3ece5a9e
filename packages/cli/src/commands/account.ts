import { ClientError } from '@berth/client';
import { bytes, moment } from '@berth/client/amounts';
import { type Account, kindOfCredential } from '@berth/contract';
import { columns } from '@berth/terminal';
import type { Command } from 'commander';
import { notSignedIn } from '../failure.ts';
import { inSession, type CommandContext } from './define.ts';
import { findKeyOwner } from './login.ts';

const CAPS = [
  ['deployments', 'deployments'],
  ['platformDomains', 'platform domains'],
  ['customDomains', 'custom domains'],
  ['seats', 'members'],
] as const;

export function addAccount(program: Command, context: CommandContext): void {
  program
    .command('account')
    .summary('show the plan and how much of it is used')
    .description('Show the account: its plan, and how much of it is used.')
    .action(
      inSession<[]>(context, async ({ client, printResult }) => {
        const account = await client.api.account.get.query();
        printResult({ account }, () => describeAccount(account));
      }),
    );

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
