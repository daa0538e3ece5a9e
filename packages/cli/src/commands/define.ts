import type { Command } from 'commander';
import type { ErrorContext } from '../failure.ts';
import { type GlobalOptions, openSession, type Session, type CliRuntime } from '../session.ts';

/** What the definition of a command needs. */
export interface CommandContext {
  runtime: CliRuntime;
  errorContext: ErrorContext;
}

/**
 * Creates the action of a command that needs a session.
 *
 * @param work Receives the arguments that the command declares, and its options.
 */
export function inSession<Arguments extends readonly unknown[], Options = Record<never, never>>(
  { runtime, errorContext }: CommandContext,
  work: (session: Session, words: Arguments, options: Options) => Promise<void>,
): (this: Command) => Promise<void> {
  return async function () {
    const session = await openSession(runtime, this.optsWithGlobals<GlobalOptions>(), errorContext);
    await work(session, this.processedArgs as unknown as Arguments, this.opts<Options & Record<string, unknown>>());
  };
}

/**
 * Returns a function that adds a verb to a noun, such as `delete` to `domains`. Each verb takes one argument, the name of a
 * thing.
 *
 * @param readName Converts the argument to the name that the verb receives.
 */
export function verbAdder(
  noun: Command,
  context: CommandContext,
  [argument, meaning, example]: readonly [argument: string, meaning: string, example: string],
  readName: (session: Session, text: string) => string | Promise<string>,
) {
  return (verb: string, description: string, act: (session: Session, name: string) => Promise<void>): Command =>
    withExamples(noun.command(verb), { [`berth ${noun.name()} ${verb} ${example}`]: '' })
      .description(description)
      .argument(argument, meaning)
      .action(inSession<[string]>(context, async (session, [text]) => act(session, await readName(session, text))));
}

/** The width that the lines of the help must fit, like the lines that the parser wraps. */
const HELP_COLUMNS = 80;

/** Adds examples to the help of a command. @param effects The effect of each command line; empty if it is obvious. */
export function withExamples(command: Command, effects: Readonly<Record<string, string>>): Command {
  const width = Math.max(...Object.keys(effects).map((line) => line.length));
  const rows = Object.entries(effects).map(([line, effect]) => `  ${line.padEnd(width)}  ${effect}`.trimEnd());
  const fits = rows.every((row) => row.length <= HELP_COLUMNS);
  const lines = fits ? rows : Object.entries(effects).flatMap(([line, effect]) => [`  ${line}`, `      ${effect}`]);
  return command.addHelpText('after', ['', 'Examples:', ...lines, ''].join('\n'));
}
