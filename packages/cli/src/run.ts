import { parseCommandLine, UsageError } from '@berth/terminal';
import { type Command, CommanderError } from 'commander';
import { unknownCommandMessage } from './commands/folder-argument.ts';
import { findSimilarName } from './did-you-mean.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type ErrorContext, type Failure, failureOf } from './failure.ts';
import { isForeignCommand } from './foreign-commands.ts';
import { createProgram, linesOf } from './program.ts';
import type { CliRuntime } from './session.ts';
import type { Line } from './terminal.ts';

/**
 * Runs one command line.
 *
 * @param words The arguments after `berth`.
 * @returns The exit code. Errors are printed in plain words or as JSON; nothing is thrown.
 */
export async function run(words: readonly string[], runtime: CliRuntime): Promise<ExitCode> {
  const errorContext: ErrorContext = { server: null, key: null };
  const program = createProgram({ runtime, errorContext });
  if (words.length === 0) {
    runtime.terminal.err(linesOf(program.helpInformation({ error: true })));
    return EXIT.usage;
  }
  try {
    refuseUnknownSubcommand(program, words);
    await parseCommandLine(program, words);
    return EXIT.ok;
  } catch (thrown) {
    const failure = failureOf(thrown instanceof UsageError ? explainUsage(thrown, program) : thrown, errorContext);
    printFailure(runtime, failure, words.includes('--json'));
    return failure.exit;
  }
}

const FLAGS: ReadonlySet<string> = new Set(['--json', '-q', '--quiet']);

/**
 * Throws for a mistyped command in a group. Otherwise the word would be treated as an argument of the default command of the
 * group.
 */
function refuseUnknownSubcommand(program: Command, words: readonly string[]): void {
  const [noun, verb] = words.filter((word) => !FLAGS.has(word));
  const verbs = program.commands.find((command) => command.name() === noun)?.commands.map((command) => command.name());
  if (verbs === undefined || verbs.length === 0 || verb === undefined || verb.startsWith('-')) return;
  if (verbs.includes(verb) || verb === 'help') return;
  const suggestion = findSimilarName(verb, verbs);
  const right =
    suggestion === null ? `The commands are ${verbs.join(', ')}` : `Did you mean berth ${noun} ${suggestion}?`;
  throw new UsageError(`There is no command "berth ${noun} ${verb}". ${right}`);
}

/** Returns a better error if the parser took the name of a command for a folder. */
function explainUsage(error: UsageError, program: Command): UsageError {
  if (!(error.cause instanceof CommanderError)) return error;
  const names = program.commands.map((command) => command.name());
  const [first = ''] = program.args;
  if (!names.includes(first) && isForeignCommand(first)) return new UsageError(unknownCommandMessage(first));
  // An unknown command is parsed as a folder, and the words after it as too many arguments.
  if (error.cause.code !== 'commander.excessArguments' || !/^[a-z-]+$/i.test(first) || names.includes(first))
    return error;
  const suggestion = findSimilarName(first, names) ?? 'publish';
  return new UsageError(`There is no command "${first}". Did you mean berth ${suggestion}?`);
}

function printFailure({ terminal }: CliRuntime, failure: Failure, asJson: boolean): void {
  const { message, next } = failure;
  if (asJson) {
    terminal.err([JSON.stringify({ error: failure })]);
    return;
  }
  const more = next ?? (failure.exit === EXIT.usage ? 'For help: berth --help' : null);
  const lines: Line[] = [[{ colour: 'red', text: 'Error:' }, ` ${message}`]];
  if (more !== null) lines.push([{ colour: 'dim', text: more }]);
  terminal.err(lines);
}
