import type { Token } from '@berth/contract';
import type { Scope } from '@berth/core';
import { actForAccount, createApiKey, deleteToken, listTokens } from '@berth/core/operator';
import type { Command } from 'commander';
import {
  ACCOUNT,
  examples,
  findAccount,
  formatJson,
  formatList,
  formatTime,
  JSON_OPTION,
  type JsonOption,
  type OpenSession,
} from './session.ts';

/** Adds the commands of `keys`. */
export function addKeys(program: Command, open: OpenSession): void {
  const keys = program.command('keys').description('Create, list and revoke keys of an account.');

  keys
    .command('create')
    .description('Create an API key for an account and print it. It cannot be shown again.')
    .argument(...ACCOUNT)
    .option(...JSON_OPTION)
    .addHelpText('after', examples('keys create ada@example.com'))
    .action(async (named: string, { json }: JsonOption) => {
      const { core, print } = await open();
      const account = await findAccount(core, named);
      const key = await createApiKey(core, account);
      print(json ? formatJson({ account, key }) : key);
    });

  keys
    .command('list')
    .description('List the API keys and deploy tokens of an account, newest first.')
    .argument(...ACCOUNT)
    .option(...JSON_OPTION)
    .action(async (named: string, { json }: JsonOption) => {
      const { core, print } = await open();
      const tokens = await allTokens(await actForAccount(core, named));
      print(json ? formatJson({ tokens }) : formatTokens(tokens));
    });

  keys
    .command('revoke')
    .description('Revoke a key or deploy token. Takes effect with the next request.')
    .argument(...ACCOUNT)
    .argument('<key>', 'the key identifier that "keys list" shows')
    .addHelpText('after', examples('keys revoke ada@example.com a1b2c3d'))
    .action(async (named: string, key: string) => {
      const { core, print } = await open();
      const scope = await actForAccount(core, named);
      const { token } = await deleteToken(scope, key);
      print(`Revoked ${token} of account ${scope.caller.account}.`);
    });
}

async function allTokens(scope: Scope): Promise<Token[]> {
  const tokens: Token[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await listTokens(scope, { limit: 100, ...(cursor === undefined ? {} : { cursor }) });
    tokens.push(...page.tokens);
    if (page.nextCursor === undefined) return tokens;
    cursor = page.nextCursor;
  }
}

function formatTokens(tokens: readonly Token[]): string {
  return formatList(
    ['key', 'kind', 'labels', 'created', 'expires', 'used'],
    tokens.map(({ token, kind, labels, created, expires, used }) => [
      token,
      kind,
      labels.join(' ') || '-',
      formatTime(created),
      formatTime(expires),
      formatTime(used),
    ]),
    'The account has no keys.',
  );
}
