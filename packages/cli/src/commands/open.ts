import { ClientError, parseWebAddress } from '@berth/client';
import { DEPLOYMENT_ID } from '@berth/contract';
import { UsageError } from '@berth/terminal';
import type { Command } from 'commander';
import { parseSite } from '../values.ts';
import { inSession, type CommandContext, withExamples } from './define.ts';
import { fullDomain } from './domains.ts';
import type { Session } from '../session.ts';

export function addOpen(program: Command, context: CommandContext): void {
  withExamples(program.command('open'), {
    'berth open': 'opens the last deployment',
    'berth open blog': 'opens blog.<platform domain>',
  })
    .summary('open a site in the browser')
    .description('Open a site in the browser, and print its link.')
    .argument('[site]', 'a deployment or a domain; default: the last deployment')
    .action(
      inSession<[string?]>(context, async (session, [site]) => {
        const url = await findUrl(session, site);
        const address = parseWebAddress(url);
        if (address === null)
          throw new ClientError(
            'server',
            `The server sent ${JSON.stringify(url)}, which is not a web address. Nothing was opened`,
          );
        await session.parts.openPage(address.href);
        session.printResult({ url }, () => [url]);
      }),
    );
}

async function findUrl({ client }: Session, site: string | undefined): Promise<string> {
  if (site === undefined) {
    const { deployments } = await client.api.deployments.list.query({ limit: 1 });
    if (deployments[0] === undefined)
      throw new UsageError('There are no deployments yet. To publish a folder: berth ./dist');
    return deployments[0].url;
  }
  const name = parseSite(site);
  const isDeployment = DEPLOYMENT_ID.test(name.split('.', 1)[0]!.toLowerCase());
  const found = isDeployment
    ? await client.api.deployments.get.query({ deployment: name })
    : await client.api.domains.get.query({ domain: await fullDomain(client, name) });
  return found.url;
}
