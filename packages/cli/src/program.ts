import { columns, createCommand } from '@berth/terminal';
import { type Argument, type Command, Help, type HelpConfiguration } from 'commander';
import { addAccount } from './commands/account.ts';
import { addActivities } from './commands/activities.ts';
import { addCompletion } from './commands/completion.ts';
import { addCheck } from './commands/check.ts';
import { addClaim } from './commands/claim.ts';
import { addConfig } from './commands/config.ts';
import type { CommandContext } from './commands/define.ts';
import { addDeployments } from './commands/deployments.ts';
import { addDiff } from './commands/diff.ts';
import { addDomains } from './commands/domains.ts';
import { addDownload } from './commands/download.ts';
import { addFiles } from './commands/files.ts';
import { addInit } from './commands/init.ts';
import { addLogin } from './commands/login.ts';
import { addInvites, addMembers } from './commands/members.ts';
import { addOpen } from './commands/open.ts';
import { addPreview } from './commands/preview.ts';
import { addPrune } from './commands/prune.ts';
import { addPublish } from './commands/publish.ts';
import { addTokens } from './commands/tokens.ts';
import { addRollback, addVersions } from './commands/versions.ts';
import { addWatch } from './commands/watch.ts';
import { EXIT_MEANINGS } from './exit-codes.ts';
import { collect } from './values.ts';
import manifest from '../package.json' with { type: 'json' };

/** The functions that add the commands, by their heading in the help. */
const COMMANDS = {
  'Publish:': [addPublish, addWatch, addPreview, addDiff, addInit],
  'Sites and their versions:': [
    addDeployments,
    addFiles,
    addDownload,
    addDomains,
    addVersions,
    addRollback,
    addPrune,
    addOpen,
  ],
  'Account:': [addLogin, addAccount, addTokens, addMembers, addInvites, addActivities, addClaim],
  'This program:': [addCheck, addConfig, addCompletion],
};

const MORE_HELP = `
Examples:
  berth ./dist                         publishes a folder and prints its link
  berth page.html                      publishes one HTML file
  berth site.zip                       publishes an archive
  berth ./dist --domain blog           publishes it at a permanent address
  berth watch ./dist --domain blog     publishes every build at that address
  berth init                           sets up a project; then "berth" publishes
  URL=$(berth ./dist)                  standard output contains only the link

For the options and examples of a command: berth help <command>

Environment:
  BERTH_SERVER    the address of the server, if --server is not set
  BERTH_KEY       the API key or deploy token; overrides the stored key
  BERTH_PASSWORD  the password of the site, if --password is not set
  NO_COLOR, CI    print plain lines, without colours and progress bars

Exit codes:
${columns(EXIT_MEANINGS.map(([code, meaning]) => [`  ${code}`, meaning])).join('\n')}
`;

/** Lists of commands have one line for each: its name, its arguments, and what it does. */
const HELP_LAYOUT: HelpConfiguration = {
  showGlobalOptions: true,
  subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' '),
  subcommandDescription: (command) => command.summary() || summaryOf(command.description()),
  visibleGlobalOptions(command) {
    const options = new Help().visibleGlobalOptions.call(this, command);
    return options.filter(({ long }) => long !== '--version');
  },
};

function argumentTerm(argument: Argument): string {
  const term = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${term}>` : `[${term}]`;
}

/** Returns the first sentence of a description in the style of a summary: in lower case, without a full stop. */
function summaryOf(description: string): string {
  const sentence = description.split('. ', 1)[0]!.replace(/\.$/, '');
  return sentence[0]!.toLowerCase() + sentence.slice(1);
}

/** Creates the program with all commands. Run it with `parseCommandLine`. */
export function createProgram(context: CommandContext): Command {
  const { terminal } = context.runtime;
  const program = createCommand('berth', {
    out: (text) => terminal.out(linesOf(text)),
    err: (text) => terminal.err(linesOf(text)),
  })
    .description(
      'Publishes a folder to a Berth server and prints its link. Works without an account too: the site then expires after three days.',
    )
    .usage('[options] [folder] | <command>')
    .version(manifest.version, '-V, --version', 'show the version')
    .option('-s, --server <url>', 'the address of the server [env: BERTH_SERVER]')
    .option('--json', 'print the result and errors as JSON')
    .option('-q, --quiet', 'print only the result')
    .option('-y, --yes', 'delete and replace without a question')
    .configureHelp(HELP_LAYOUT)
    .addHelpText('after', MORE_HELP);
  for (const [heading, adders] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading);
    for (const addCommand of adders) addCommand(program, context);
  }
  // In the same group as the last commands, because the heading is set before.
  program.helpCommand('help [command]', 'show help');
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
