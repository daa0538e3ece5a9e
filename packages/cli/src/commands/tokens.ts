import { moment } from '@berth/client/amounts';
import type { Command } from 'commander';
import { collect, parseKeep, parseTtl } from '../values.ts';
import { inSession, type CommandContext, withExamples } from './define.ts';
import { fullDomain } from './domains.ts';
import { addList } from './list.ts';

interface CreateOptions {
  api?: boolean;
  ttl?: number;
  label?: string[];
  domain?: string[];
  keep?: number;
}

export function addTokens(program: Command, context: CommandContext): void {
  const tokens = withExamples(program.command('tokens'), {
    'berth tokens create --ttl 30d --label ci-job': 'prints a key that can only deploy',
    'berth tokens delete a1b2c3d': 'revokes the key',
  })
    .summary('list, create and revoke keys for programs')
    .description('List, create and revoke keys for programs, such as a CI job.');

  addList(tokens, context, {
    name: 'tokens',
    read: (client, query) => client.api.tokens.list.query(query),
    description: 'List tokens, newest first, without their secrets.',
    heading: ['token', 'kind', 'created', 'expires', 'used', 'labels', 'domains'],
    toCells: ({ token, kind, created, expires, used, labels, domains = [] }) => [
      token,
      kind,
      moment(created),
      moment(expires),
      moment(used),
      labels.join(' ') || '-',
      domains.join(' ') || '-',
    ],
    lessImportant: ['domains', 'labels'],
    emptyNote: 'There are no tokens yet.',
  });

  withExamples(tokens.command('create'), {
    'berth tokens create --ttl 30d --label ci-job': 'prints a key that can only deploy',
    'berth tokens create --domain blog --keep 5': 'prints a key that can publish to a domain',
    'berth tokens create --api --label laptop': 'prints a key that can do everything',
  })
    .description('Create a deploy token and print it. It is not shown again.')
    .option('--api', 'create an API key, which can do everything')
    .option('--ttl <time>', 'when the token expires, such as 30d', parseTtl)
    .option('--label <label>', 'a label; may be repeated', collect)
    .option('--domain <name>', 'a domain that the deploy token can publish to; may be repeated', collect)
    .option('--keep <number>', 'how many versions of a domain its deploys must keep (default: 10)', parseKeep)
    .action(
      inSession<[], CreateOptions>(context, async ({ client, printResult, note }, _, options) => {
        const { api, ttl, label, domain, keep } = options;
        const kind = api ? 'api' : 'deploy';
        const domains = domain && (await Promise.all(domain.map((typed) => fullDomain(client, typed))));
        const newToken = await client.api.tokens.create.mutate({ kind, ttl, labels: label, domains, keep });
        note(`Created ${newToken.token}. Store its secret: it is not shown again.`);
        printResult({ token: newToken }, () => [newToken.secret]);
      }),
    );

  withExamples(tokens.command('delete'), { 'berth tokens delete a1b2c3d': '' })
    .description('Revoke a token immediately.')
    .argument('<token>', 'the id of the token, as listed by "berth tokens"')
    .action(
      inSession<[string]>(context, async ({ client, printResult, confirm }, [token]) => {
        await confirm(`Revoke ${token}? Programs that use it stop working immediately.`);
        const deletedToken = await client.api.tokens.delete.mutate({ token });
        printResult(deletedToken, () => [`Revoked ${deletedToken.token}.`]);
      }),
    );
}
