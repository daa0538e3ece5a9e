import type { Command } from 'commander';
import { moment } from '../../amounts.ts';
import { table } from '../render/table.ts';
import { collect, readLimit, readTtl } from '../values.ts';
import { examples, inSession, type Surroundings } from './define.ts';
import { MORE, readPages } from './pages.ts';

interface CreateOptions {
  api?: boolean;
  ttl?: number;
  label?: string[];
}

/** `berth tokens`: keys for others. */
export function addTokens(program: Command, at: Surroundings): void {
  const tokens = program
    .command('tokens')
    .summary('list, make and revoke keys for others')
    .description('Keys for others, such as a CI job.')
    .addHelpText(
      'after',
      examples(
        ['berth tokens create --ttl 30d --label ci-job', 'prints a key that may deploy, and nothing else'],
        ['berth tokens delete a1b2c3d', 'revokes it'],
      ),
    );

  tokens
    .command('list', { isDefault: true })
    .description('List tokens, newest first. Their secrets are not known any more.')
    .option('--limit <number>', 'how many, or "all"', readLimit, 20)
    .action(
      inSession<[], { limit: number }>(at, async ({ client, answer, note }, _, { limit }) => {
        const { rows, more } = await readPages(
          limit,
          (query) => client.api.tokens.list.query(query),
          (page) => page.tokens,
        );
        answer({ tokens: rows, more }, () =>
          table(
            ['token', 'kind', 'created', 'expires', 'used', 'labels'],
            rows.map(({ token, kind, created, expires, used, labels }) => [
              token,
              kind,
              moment(created),
              moment(expires),
              moment(used),
              labels.join(' ') || '-',
            ]),
          ),
        );
        if (more) note(MORE);
      }),
    );

  tokens
    .command('create')
    .description('Make a deploy token and print it, this once.')
    .option('--api', 'make an API key, which may do everything, instead')
    .option('--ttl <time>', 'how long it lasts, such as 30d', readTtl)
    .option('--label <label>', 'a label; may be repeated', collect)
    .action(
      inSession<[], CreateOptions>(at, async ({ client, answer, note }, _, { api, ttl, label }) => {
        const kind = api ? 'api' : 'deploy';
        const made = await client.api.tokens.create.mutate({
          kind,
          ...(ttl && { ttl }),
          ...(label && { labels: label }),
        });
        note(`Made ${made.token}. Keep its secret: it is shown only here.`);
        answer({ token: made }, () => [made.secret]);
      }),
    );

  tokens
    .command('delete')
    .description('Revoke a token, from the next request on.')
    .argument('<token>', 'its identifier, as "berth tokens" lists it')
    .action(
      inSession<[string]>(at, async ({ client, answer }, [token]) => {
        const deleted = await client.api.tokens.delete.mutate({ token });
        answer(deleted, () => [`Revoked ${deleted.token}.`]);
      }),
    );
}
