import { existsSync } from 'node:fs';
import { issuesOf } from '@berth/client';
import { parseCommandLine, UsageError } from '@berth/terminal';
import { type Command, CommanderError } from 'commander';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type ErrorContext, type Failure, failureOf } from './failure.ts';
import { createProgram, linesOf } from './program.ts';
import { PROJECT_FILE } from './project/project-file.ts';
import type { CliRuntime } from './session.ts';
import { findSimilarName, isForeignCommand, unknownCommandMessage } from './suggestions.ts';

/**
 * Runs one command line.
 *
 * @param words The arguments after `berth`.
 * @returns The exit code. Errors are printed in plain words or as JSON; nothing is thrown.
 */
export async function run(words: readonly string[], runtime: CliRuntime): Promise<ExitCode> {
  const errorContext: ErrorContext = { server: null, key: null };
  const program = createProgram({ runtime, errorContext });
  if (words.length === 0 && !existsSync(PROJECT_FILE)) {
    runtime.terminal.err(linesOf(program.helpInformation({ error: true })));
    return EXIT.usage;
  }
  try {
    refuseUnknownSubcommand(program, words);
    await parseCommandLine(program, expandHelp(program, words));
    return EXIT.ok;
  } catch (thrown) {
    const failure = failureOf(thrown instanceof UsageError ? explainUsage(thrown, program) : thrown, errorContext);
    printFailure(runtime, failure, words.includes('--json'), helpHint(program, words));
    return failure.exit;
  }
}

const FLAGS: ReadonlySet<string> = new Set(['--json', '-q', '--quiet']);

/** Throws for a mistyped verb of a noun. The parser would treat the verb as an argument of the noun's default command. */
function refuseUnknownSubcommand(program: Command, words: readonly string[]): void {
  const [noun, verb] = words.filter((word) => !FLAGS.has(word));
  const verbNames = program.commands
    .find((command) => command.name() === noun)
    ?.commands.map((command) => command.name());
  if (verbNames === undefined || verbNames.length === 0 || verb === undefined || verb.startsWith('-')) return;
  if (verbNames.includes(verb) || verb === 'help') return;
  throw unknownSubcommand(`berth ${noun}`, verb, verbNames);
}

/**
 * Rewrites `help domains set` as `domains set --help`. The parser would show the help of `domains`.
 *
 * @throws UsageError for a command that does not exist.
 */
function expandHelp(program: Command, words: readonly string[]): readonly string[] {
  const [first, ...names] = words.filter((word) => !word.startsWith('-'));
  if (first !== 'help' || names.length === 0) return words;
  if (names[0] === 'help') return ['--help'];
  let group = program;
  let typedCommand = 'berth';
  for (const name of names) {
    const command = group.commands.find((each) => each.name() === name);
    if (command === undefined)
      throw unknownSubcommand(
        typedCommand,
        name,
        group.commands.map((each) => each.name()),
      );
    group = command;
    typedCommand += ` ${name}`;
  }
  return [...names, '--help'];
}

function unknownSubcommand(group: string, typed: string, names: readonly string[]): UsageError {
  const suggestion = findSimilarName(typed, names);
  const hint =
    suggestion !== null
      ? `Did you mean ${group} ${suggestion}?`
      : names.length === 0
        ? `For help: ${group} --help`
        : `The commands are ${names.join(', ')}`;
  return new UsageError(`There is no command "${group} ${typed}". ${hint}`);
}

/** Returns a better error if the parser took an unknown command for a folder. */
function explainUsage(error: UsageError, program: Command): UsageError {
  if (!(error.cause instanceof CommanderError)) return error;
  const names = program.commands.map((command) => command.name());
  const [first = ''] = program.args;
  if (!names.includes(first) && isForeignCommand(first)) return new UsageError(unknownCommandMessage(first));
  // The parser takes an unknown command for a folder, and reports the words after the command as too many arguments.
  if (error.cause.code !== 'commander.excessArguments' || !/^[a-z-]+$/i.test(first) || names.includes(first))
    return error;
  const suggestion = findSimilarName(first, names) ?? 'publish';
  return new UsageError(`There is no command "${first}". Did you mean berth ${suggestion}?`);
}

/** Returns how to see the help of the command on the command line. */
function helpHint(program: Command, words: readonly string[]): string {
  const names: string[] = [];
  let group = program;
  for (const word of words) {
    const command = group.commands.find((each) => each.name() === word);
    if (command === undefined) break;
    names.push(word);
    group = command;
  }
  return `For help: ${['berth', ...names, '--help'].join(' ')}`;
}

function printFailure({ terminal }: CliRuntime, failure: Failure, asJson: boolean, help: string): void {
  if (asJson) return terminal.err([JSON.stringify({ error: failure })]);
  const nextStep = failure.next ?? (failure.exit === EXIT.usage ? help : null);
  if (failure.kind === 'aborted') return terminal.err([failure.message]);
  terminal.err([[{ colour: 'red', text: 'Error:' }, ` ${failure.message}`]]);
  terminal.err(
    issuesOf(failure)
      .slice(1)
      .map(({ path, message }) => `  ${path}: ${message}`),
  );
  if (nextStep !== null) terminal.err([[{ colour: 'dim', text: nextStep }]]);
}
