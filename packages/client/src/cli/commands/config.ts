import { Argument, type Command } from 'commander';
import { columns } from '../render/table.ts';
import type { Session } from '../session.ts';
import { addressOf, chooseServer, serverUrl, writeSettings } from '../settings.ts';
import { examples, inSession, type Surroundings } from './define.ts';

const NAMES = ['server'] as const;
type Name = (typeof NAMES)[number];

/** Adds `berth config`: the stored settings. */
export function addConfig(program: Command, at: Surroundings): void {
  const config = program
    .command('config')
    .summary('show and change the settings')
    .description('Show and change what is kept between commands. Keys are stored by berth login, and never shown.')
    .addHelpText('after', examples(['berth config set server https://api.example.com', 'is the server from now on']));

  config
    .command('get', { isDefault: true })
    .description('Show the settings and where they come from, or one of them alone.')
    .addArgument(new Argument('[name]', 'which one').choices(NAMES))
    .action(
      inSession<[Name?]>(at, async ({ server, key, settings, answer }, [name]) => {
        const value = {
          server: addressOf(server.server),
          serverFrom: server.from,
          keyFrom: key.key === null ? null : key.from,
        };
        answer({ ...value, file: settings.file }, () =>
          name === 'server'
            ? [value.server]
            : columns([
                ['server', value.server, value.serverFrom],
                ['key', key.key === null ? 'none' : 'set', value.keyFrom ?? '-'],
                ['file', settings.file, ''],
              ]),
        );
      }),
    );

  config
    .command('set')
    .description('Change a setting.')
    .addArgument(new Argument('<name>', 'which one').choices(NAMES))
    .argument('<value>', 'what it is from now on')
    .action(
      inSession<[Name, string]>(at, async (session, [, value]) => {
        const stored = { ...session.settings.stored, server: addressOf(serverUrl(value)) };
        await writeSettings(session.settings.file, stored);
        answerServer(session, chooseServer(undefined, {}, stored).server);
      }),
    );
}

function answerServer({ settings, answer }: Session, server: URL): void {
  answer({ server: addressOf(server), file: settings.file }, () => [`The server is ${addressOf(server)} from now on.`]);
}
