import { columns, createCommand } from '@berth/terminal';
import type { Command } from 'commander';
import { addAccount } from './commands/account.ts';
import { addActivities } from './commands/activities.ts';
import { addCompletion } from './commands/completion.ts';
import { addCheck } from './commands/check.ts';
import { addClaim } from './commands/claim.ts';
import { addConfig } from './commands/config.ts';
import type { CommandContext } from './commands/define.ts';
import { addDeployments } from './commands/deployments.ts';
import { addDomains } from './commands/domains.ts';
import { addFiles } from './commands/files.ts';
import { addInit } from './commands/init.ts';
import { addLogin } from './commands/login.ts';
import { addOpen } from './commands/open.ts';
import { addPreview } from './commands/preview.ts';
import { addPublish } from './commands/publish.ts';
import { addTokens } from './commands/tokens.ts';
import { addWatch } from './commands/watch.ts';
import { EXIT_MEANINGS } from './exit-codes.ts';
import { collect } from './values.ts';
import manifest from '../package.json' with { type: 'json' };

/** The functions that add the commands, in the order of the help. */
const COMMANDS = [
  addPublish,
  addWatch,
  addPreview,
  addClaim,
  addOpen,
  addDeployments,
  addFiles,
  addDomains,
  addTokens,
  addActivities,
  addAccount,
  addInit,
  addCheck,
  addLogin,
  addConfig,
  addCompletion,
];

const MORE_HELP = `
Examples:
  berth ./dist                         publishes a folder and prints its link
  berth ./dist --domain blog           publishes it at a permanent address
  berth watch ./dist --domain blog     publishes every build at that address
  URL=$(berth ./dist)                  standard output contains only the link

Environment:
  BERTH_SERVER    the address of the server, if --server is not set
  BERTH_KEY       the API key or deploy token; overrides the stored key
  BERTH_PASSWORD  the password of the site, if --password is not set
  NO_COLOR, CI    print plain lines, without colours and progress bars

Exit codes:
${columns(EXIT_MEANINGS.map(([code, meaning]) => [`  ${code}`, meaning])).join('\n')}
`;

/** Creates the program with all commands. Run it with `parseCommandLine`. */
export function createProgram(context: CommandContext): Command {
  const { terminal } = context.runtime;
  const program = createCommand('berth', {
    out: (text) => terminal.out(linesOf(text)),
    err: (text) => terminal.err(linesOf(text)),
  })
    .description('Publishes a folder and prints its link. Works without an account too.')
    .usage('[options] <folder> | <command>')
    .version(manifest.version, '-V, --version', 'show the version')
    .helpCommand('help [command]', 'show help')
    .option('-s, --server <url>', 'the address of the server [env: BERTH_SERVER]')
    .option('--json', 'print the result and errors as JSON, for programs')
    .option('-q, --quiet', 'print only the result')
    .option('-y, --yes', 'ask no questions before something is deleted or replaced')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', MORE_HELP);
  for (const addCommand of COMMANDS) addCommand(program, context);
  refuseRepeatedOptions(program);
  return program;
}

/** Makes an option that is set twice an error, unless the option collects its values. The parser would drop the first value. */
function refuseRepeatedOptions(command: Command): void {
  for (const option of command.options.filter(({ required, parseArg }) => required && parseArg !== collect)) {
    let isSet = false;
    command.on(`option:${option.name()}`, () => {
      if (isSet) command.error(`error: option '${option.flags}' can be set only once`);
      isSet = true;
    });
  }
  command.commands.forEach(refuseRepeatedOptions);
}

/** Splits a text into lines. A line break at the end does not add an empty line. */
export function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}
