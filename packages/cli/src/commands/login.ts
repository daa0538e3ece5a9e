import type { BerthClient } from '@berth/client';
import { kindOfCredential } from '@berth/contract';
import { UsageError } from '@berth/terminal';
import type { Command } from 'commander';
import type { ErrorContext } from '../failure.ts';
import type { Session } from '../session.ts';
import { obtainKey } from './obtain-key.ts';
import { formatServer, DEFAULT_SERVER, parseServerUrl, writeSettings } from '../settings.ts';
import { inSession, type CommandContext, withExamples } from './define.ts';

export function addLogin(program: Command, context: CommandContext): void {
  withExamples(program.command('login'), {
    'berth login': 'asks for the server, and opens it in the browser',
    'berth login --server https://api.example.com < key.txt': 'reads the key from a file',
  })
    .summary('store the key for a server')
    .description(
      'Open a page of the server in the browser, where you approve this program. Or type a key, or pass it as the input. The key is stored in a file that only you can read.',
    )
    .action(inSession<[]>(context, (session) => login(session, context.errorContext)));

  program
    .command('logout')
    .summary('delete the stored key for a server')
    .description('Delete the stored key for a server. The key stays valid; to revoke it, use berth tokens delete.')
    .action(
      inSession<[]>(context, async ({ server: { server }, settings, printResult }) => {
        const { origin } = server;
        const { [origin]: key, ...keys } = settings.stored.keys ?? {};
        if (key !== undefined) await writeSettings(settings.file, { ...settings.stored, keys });
        printResult({ server: origin, forgotten: key !== undefined }, () => [
          key === undefined ? `No key was stored for ${origin}.` : `Deleted the key for ${origin}.`,
        ]);
      }),
    );
}

async function login(session: Session, errorContext: ErrorContext): Promise<void> {
  const { terminal, connect, server, settings, printResult, signal } = session;
  const isNamed = server.from === 'option' || server.from === 'environment';
  const typedAddress =
    terminal.isInteractive && !isNamed ? await terminal.ask(`Server [${server.server.origin}]: `, { signal }) : '';
  const chosenServer = typedAddress === '' ? server.server : parseServerUrl(typedAddress);
  Object.assign(errorContext, { server: chosenServer, key: { from: 'default', key: null } } satisfies ErrorContext);
  const key = await obtainKey(session, chosenServer);
  if (kindOfCredential(key) === null)
    throw new UsageError(
      key === ''
        ? 'The key is empty. Type it, or pass it as the first line of the input'
        : 'The key is invalid. It must be "ship-" or "deploy-", followed by 32 hex digits',
    );
  Object.assign(errorContext, { server: chosenServer, key: { from: 'login', key } } satisfies ErrorContext);
  const account = await findKeyOwner(connect(chosenServer, key));
  const { stored, file } = settings;
  const isDefault = stored.server === undefined && formatServer(chosenServer) === DEFAULT_SERVER;
  await writeSettings(file, {
    ...stored,
    ...(!isDefault && { server: formatServer(chosenServer) }),
    keys: { ...stored.keys, [chosenServer.origin]: key },
  });
  printResult({ server: chosenServer.origin, account, file }, () => [
    `Signed in to ${chosenServer.origin} ${account ? `as ${account}` : 'with a deploy token'}. The key is stored in ${file}.`,
  ]);
}

/**
 * Asks the server to which account the key of a client belongs.
 *
 * @returns The e-mail address of the account; `null` for a deploy token, which is valid but not allowed to ask.
 * @throws ClientError if the key is not accepted.
 */
export async function findKeyOwner({ api, key }: BerthClient): Promise<string | null> {
  if (kindOfCredential(key ?? '') !== 'deploy') return (await api.account.get.query()).email;
  await api.platform.ping.query();
  return null;
}
