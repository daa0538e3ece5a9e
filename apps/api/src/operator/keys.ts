import type { Token } from '@berth/contract';
import type { Scope } from '@berth/core';
import { actForAccount, createApiKey, deleteToken, listTokens } from '@berth/core/operator';
import type { Command } from 'commander';
import {
  examples,
  findAccount,
  formatJson,
  formatList,
  formatTime,
  JSON_OPTION,
  type JsonOption,
  type OpenSession,
} from './session.ts';

export function addKeys(program: Command, open: OpenSession): void {
  const keys = program.command('keys').description('Create, list and revoke keys of an account.');

  keys
    .command('create <account>')
    .description('Create an API key for an account and print it. It cannot be shown again.')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('keys create ada@example.com'))
    .action(async (named: string, { json }: JsonOption) => {
      const { core, print } = await open();
      const account = await findAccount(core, named);
      const key = await createApiKey(core, account);
      print(json ? formatJson({ account, key }) : key);
    });

  keys
    .command('list <account>')
    .description('List the API keys and deploy tokens of an account, newest first.')
    .option(...JSON_OPTION)
    .action(async (named: string, { json }: JsonOption) => {
      const { core, print } = await open();
      const tokens = await allTokens(await actForAccount(core, named));
      print(json ? formatJson({ tokens }) : formatTokens(tokens));
    });

  keys
    .command('revoke <account> <key>')
    .description(
      'Revoke a key or deploy token, by the identifier that "keys list" shows. Takes effect with the next request.',
    )
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
  let cursor: string | undefined;
  do {
    const page = await listTokens(scope, { limit: 100, cursor });
    tokens.push(...page.tokens);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tokens;
}

function formatTokens(tokens: readonly Token[]): string {
  return formatList(
    ['key', 'kind', 'labels', 'created', 'expires', 'used'],
    tokens.map(({ token, kind, labels, created, expires, used }) => [
      token,
      kind,
      labels.join(' ') || '-',
      ...[created, expires, used].map(formatTime),
    ]),
    'The account has no keys.',
  );
}
