import { createFirstLink } from '@berth/core/operator';
import type { Command } from 'commander';
import { examples, formatJson, JSON_OPTION, type JsonOption, type OpenSession } from './session.ts';

export function addSignIn(program: Command, open: OpenSession): void {
  program
    .command('sign-in [email]')
    .description('Print a link that signs a member in to the console, once and within 15 minutes.')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('sign-in', 'sign-in ada@example.com'))
    .action(async (email: string | undefined, { json }: JsonOption) => {
      const { core, print } = await open();
      const link = await createFirstLink(core, email ?? core.ownerEmail);
      const { url } = link;
      print(json ? formatJson({ email: link.email, url, expires: Math.floor(link.expires.getTime() / 1000) }) : url);
    });
}
