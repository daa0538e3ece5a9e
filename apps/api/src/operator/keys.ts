import type { Token } from '@berth/contract';
import type { Scope } from '@berth/core';
import { actForAccount, createApiKey, deleteToken, listTokens } from '@berth/core/operator';
import { type Command, JSON_OPTION, printJson } from './command.ts';
import { table, formatTime } from './table.ts';

const create: Command = {
  name: 'keys create',
  summary: 'Create an API key for an account and print it. It cannot be shown again.',
  arguments: ['account'],
  options: JSON_OPTION,
  examples: ['keys create ada@example.com'],
  async run(session, input) {
    const { account } = (await actForAccount(session.core, input.get('account'))).caller;
    const key = await createApiKey(session.core, account);
    if (input.has('json')) printJson(session, { account, key });
    else session.print(key);
  },
};

const list: Command = {
  name: 'keys list',
  summary: 'List the API keys and deploy tokens of an account, newest first.',
  arguments: ['account'],
  options: JSON_OPTION,
  examples: ['keys list ada@example.com'],
  async run(session, input) {
    const tokens = await allTokens(await actForAccount(session.core, input.get('account')));
    if (input.has('json')) printJson(session, { tokens });
    else
      session.print(
        table(
          ['key', 'kind', 'labels', 'created', 'expires', 'used'],
          tokens.map((row) => [
            row.token,
            row.kind,
            row.labels.join(' ') || '-',
            formatTime(row.created),
            formatTime(row.expires),
            formatTime(row.used),
          ]),
          'The account has no keys.',
        ),
      );
  },
};

const revoke: Command = {
  name: 'keys revoke',
  summary: 'Revoke a key or deploy token. Takes effect with the next request.',
  arguments: ['account', 'key'],
  details: ['Use the key identifier that "keys list" shows.'],
  examples: ['keys revoke ada@example.com a1b2c3d'],
  async run({ core, print }, input) {
    const scope = await actForAccount(core, input.get('account'));
    const { token } = await deleteToken(scope, input.get('key'));
    print(`Revoked ${token} of account ${scope.caller.account}.`);
  },
};

async function allTokens(scope: Scope): Promise<Token[]> {
  const tokens: Token[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await listTokens(scope, { limit: 100, ...(cursor === undefined ? {} : { cursor }) });
    tokens.push(...page.tokens);
    if (page.nextCursor === undefined) return tokens;
    cursor = page.nextCursor;
  }
}

export const keyCommands: readonly Command[] = [create, list, revoke];
