import type { Command } from 'commander';
import type { Circumstances } from '../failure.ts';
import { type GlobalOptions, openSession, type Session, type World } from '../session.ts';

/** What the definition of a command needs. */
export interface Surroundings {
  world: World;
  /** What the command was doing, for error messages. */
  circumstances: Circumstances;
}

/** A part of the command line. Adds its commands to the program. */
export type CommandPart = (program: Command, surroundings: Surroundings) => void;

/**
 * Creates the action of a command that needs a session.
 *
 * @param work Receives the arguments that the command declares, and its options.
 */
export function inSession<Arguments extends readonly unknown[], Options = Record<never, never>>(
  { world, circumstances }: Surroundings,
  work: (session: Session, words: Arguments, options: Options) => Promise<void>,
): (this: Command) => Promise<void> {
  return async function () {
    const session = await openSession(world, this.optsWithGlobals<GlobalOptions>(), circumstances);
    await work(session, this.processedArgs as unknown as Arguments, this.opts<Options & Record<string, unknown>>());
  };
}

/** Formats the help text after the options: examples, each with its effect. */
export function examples(...rows: readonly (readonly [line: string, does: string])[]): string {
  const width = Math.max(...rows.map(([line]) => line.length));
  return ['', 'Examples:', ...rows.map(([line, does]) => `  ${line.padEnd(width)}  ${does}`), ''].join('\n');
}
