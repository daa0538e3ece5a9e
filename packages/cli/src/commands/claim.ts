import { ClientError } from '@berth/client';
import type { Command } from 'commander';
import type { Session } from '../session.ts';
import { inSession, type CommandContext, withExamples } from './define.ts';
import { deploymentRow } from './deployments.ts';

export function addClaim(program: Command, context: CommandContext): void {
  withExamples(program.command('claim'), {
    'berth claim https://api.example.com/claim/0123…': 'keeps a site that was published without an account',
  })
    .summary('keep a site published without an account')
    .description(
      'Move a site that was published without an account to your account. The site then no longer expires. The link was printed when the site was published.',
    )
    .argument('<link>', 'the claim link')
    .action(
      inSession<[string]>(context, async (session, [link]) => {
        const { client, printResult, note } = session;
        const deployment = await client.api.account.claim
          .mutate({ claim: link })
          .catch((error: unknown) => throwClaimError(error, link, session));
        printResult({ deployment: deploymentRow(deployment) }, () => [deployment.url]);
        note('The site belongs to your account now, and no longer expires.');
      }),
    );
}

/** Throws the error of a claim. If the link leads to another server, that is the probable reason. */
function throwClaimError(error: unknown, link: string, { server: { server } }: Session): never {
  const { origin } = URL.parse(link) ?? {};
  if (!(error instanceof ClientError) || error.kind !== 'refused' || !origin || origin === server.origin) throw error;
  throw new ClientError(
    'refused',
    `There is no such claim at ${server.origin}. The link leads to ${origin}: add --server ${origin}`,
    { status: error.status ?? undefined, code: error.code ?? undefined, cause: error },
  );
}
