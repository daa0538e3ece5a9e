import type { Command } from 'commander';
import type { ErrorContext } from '../failure.ts';
import { type GlobalOptions, openSession, type Session, type CliRuntime } from '../session.ts';

/** What the definition of a command needs. */
export interface CommandContext {
  runtime: CliRuntime;
  /** What the command was doing, for error messages. */
  errorContext: ErrorContext;
}

/** A part of the command line. Adds its commands to the program. */
export type CommandPart = (program: Command, context: CommandContext) => void;

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

/** Formats the help text after the options: examples, each with its effect. */
export function examples(...rows: readonly (readonly [line: string, does: string])[]): string {
  const width = Math.max(...rows.map(([line]) => line.length));
  return ['', 'Examples:', ...rows.map(([line, does]) => `  ${line.padEnd(width)}  ${does}`), ''].join('\n');
}
