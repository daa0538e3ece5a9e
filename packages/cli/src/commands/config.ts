import { columns } from '@berth/terminal';
import { Argument, type Command } from 'commander';
import type { Session } from '../session.ts';
import { formatServer, chooseServer, parseServerUrl, writeSettings } from '../settings.ts';
import { examples, inSession, type CommandContext } from './define.ts';

const NAMES = ['server'] as const;
type Name = (typeof NAMES)[number];

/** Adds `berth config`: the stored settings. */
export function addConfig(program: Command, context: CommandContext): void {
  const config = program
    .command('config')
    .summary('show and change the settings')
    .description('Show and change the stored settings. Keys are stored by berth login and never shown.')
    .addHelpText('after', examples(['berth config set server https://api.example.com', 'sets the default server']));

  config
    .command('get', { isDefault: true })
    .description('Show one or all settings, and where they come from.')
    .addArgument(new Argument('[name]', 'the setting').choices(NAMES))
    .action(
      inSession<[Name?]>(context, async ({ server, key, settings, printResult }, [name]) => {
        const value = {
          server: formatServer(server.server),
          serverFrom: server.from,
          keyFrom: key.key === null ? null : key.from,
        };
        printResult({ ...value, file: settings.file }, () =>
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
    .addArgument(new Argument('<name>', 'the setting').choices(NAMES))
    .argument('<value>', 'the new value')
    .action(
      inSession<[Name, string]>(context, async (session, [, value]) => {
        const stored = { ...session.settings.stored, server: formatServer(parseServerUrl(value)) };
        await writeSettings(session.settings.file, stored);
        answerServer(session, chooseServer(undefined, {}, stored).server);
      }),
    );
}

function answerServer({ settings, printResult }: Session, server: URL): void {
  printResult({ server: formatServer(server), file: settings.file }, () => [
    `The default server is now ${formatServer(server)}.`,
  ]);
}
