import { columns } from '@berth/terminal';
import { Argument, type Command } from 'commander';
import { formatServer, parseServerUrl, writeSettings } from '../settings.ts';
import { inSession, type CommandContext, withExamples } from './define.ts';

const NAMES = ['server'] as const;
type Name = (typeof NAMES)[number];

export function addConfig(program: Command, context: CommandContext): void {
  const config = withExamples(program.command('config'), {
    'berth config set server https://api.example.com': 'sets the default server',
  })
    .summary('show and change the settings')
    .description('Show and change the stored settings. Keys are stored by berth login and never shown.');

  config
    .command('get', { isDefault: true })
    .description('Show one or all settings, and where each comes from.')
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
        const { file, stored } = session.settings;
        const server = formatServer(parseServerUrl(value));
        await writeSettings(file, { ...stored, server });
        session.printResult({ server, file }, () => [`The default server is now ${server}.`]);
      }),
    );
}
