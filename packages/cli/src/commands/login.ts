import { kindOfCredential } from '@berth/contract';
import { UsageError } from '@berth/terminal';
import type { Command } from 'commander';
import type { ErrorContext } from '../failure.ts';
import type { Session } from '../session.ts';
import { formatServer, DEFAULT_SERVER, parseServerUrl, writeSettings } from '../settings.ts';
import { examples, inSession, type CommandContext } from './define.ts';
import { findKeyOwner } from './key-owner.ts';

/** Adds `berth login` and `berth logout`. */
export function addLogin(program: Command, context: CommandContext): void {
  program
    .command('login')
    .summary('store the key for a server')
    .description('Ask for a server and a key, check both, and store them in a file that only you can read.')
    .addHelpText(
      'after',
      examples(
        ['berth login', 'asks for server and key'],
        ['berth login --server https://api.example.com < key.txt', 'reads the key from a file'],
      ),
    )
    .action(inSession<[]>(context, (session) => login(session, context.errorContext)));

  program
    .command('logout')
    .summary('delete the stored key for a server')
    .description('Delete the stored key for a server. The key stays valid; to revoke it, use berth tokens delete.')
    .action(
      inSession<[]>(context, async ({ server, settings, printResult }) => {
        const { [server.server.origin]: key, ...keys } = settings.stored.keys ?? {};
        if (key !== undefined) await writeSettings(settings.file, { ...settings.stored, keys });
        const { origin } = server.server;
        printResult({ server: origin, forgotten: key !== undefined }, () => [
          key === undefined ? `No key was stored for ${origin}.` : `Deleted the key for ${origin}.`,
        ]);
      }),
    );
}

async function login(session: Session, errorContext: ErrorContext): Promise<void> {
  const { terminal, connect, server, settings, printResult, signal } = session;
  const isNamed = server.from === 'option' || server.from === 'environment';
  const typed =
    terminal.isInteractive && !isNamed ? await terminal.ask(`Server [${server.server.origin}]: `, { signal }) : '';
  const chosen = typed === '' ? server.server : parseServerUrl(typed);
  const key = await terminal.ask('API key: ', { secret: true, signal });
  if (kindOfCredential(key) === null)
    throw new UsageError(
      key === ''
        ? 'The key is empty. Type it, or pass it as the first line of the input'
        : 'The key is invalid. A key is "ship-" or "deploy-", followed by 32 hex digits',
    );
  Object.assign(errorContext, { server: chosen, key: { from: 'login', key } } satisfies ErrorContext);
  const account = await findKeyOwner(connect(chosen, key));
  const { stored, file } = settings;
  const isDefault = stored.server === undefined && formatServer(chosen) === DEFAULT_SERVER;
  await writeSettings(file, {
    ...stored,
    ...(!isDefault && { server: formatServer(chosen) }),
    keys: { ...stored.keys, [chosen.origin]: key },
  });
  printResult({ server: chosen.origin, account, file }, () => [
    `Signed in to ${chosen.origin} ${account === null ? 'with a deploy token' : `as ${account}`}. Stored in ${file}.`,
  ]);
}
