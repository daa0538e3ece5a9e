import { moment } from '@berth/client/amounts';
import type { Command } from 'commander';
import { collect, parseTtl } from '../values.ts';
import { examples, inSession, type CommandContext } from './define.ts';
import { addList } from './list.ts';

interface CreateOptions {
  api?: boolean;
  ttl?: number;
  label?: string[];
}

/** Adds `berth tokens`: credentials for others. */
export function addTokens(program: Command, context: CommandContext): void {
  const tokens = program
    .command('tokens')
    .summary('list, create and revoke keys for others')
    .description('Keys for others, such as a CI job.')
    .addHelpText(
      'after',
      examples(
        ['berth tokens create --ttl 30d --label ci-job', 'prints a key that can only deploy'],
        ['berth tokens delete a1b2c3d', 'revokes it'],
      ),
    );

  addList(tokens, context, {
    name: 'tokens',
    read: (client, query) => client.api.tokens.list.query(query),
    description: 'List tokens, newest first, without their secrets.',
    heading: ['token', 'kind', 'created', 'expires', 'used', 'labels'],
    toCells: ({ token, kind, created, expires, used, labels }) => [
      token,
      kind,
      moment(created),
      moment(expires),
      moment(used),
      labels.join(' ') || '-',
    ],
    emptyNote: 'There are no tokens yet.',
  });

  tokens
    .command('create')
    .description('Create a deploy token and print it. It is not shown again.')
    .option('--api', 'create an API key, which can do everything')
    .option('--ttl <time>', 'when the token expires, such as 30d', parseTtl)
    .option('--label <label>', 'a label; may be repeated', collect)
    .action(
      inSession<[], CreateOptions>(context, async ({ client, printResult, note }, _, { api, ttl, label }) => {
        const kind = api ? 'api' : 'deploy';
        const made = await client.api.tokens.create.mutate({
          kind,
          ...(ttl && { ttl }),
          ...(label && { labels: label }),
        });
        note(`Created ${made.token}. Store its secret: it is not shown again.`);
        printResult({ token: made }, () => [made.secret]);
      }),
    );

  tokens
    .command('delete')
    .description('Revoke a token immediately.')
    .argument('<token>', 'its id, as listed by "berth tokens"')
    .action(
      inSession<[string]>(context, async ({ client, printResult }, [token]) => {
        const deleted = await client.api.tokens.delete.mutate({ token });
        printResult(deleted, () => [`Revoked ${deleted.token}.`]);
      }),
    );
}
