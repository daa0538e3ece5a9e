import type { Command } from 'commander';
import type { Circumstances } from '../failure.ts';
import { type GlobalOptions, openSession, type Session, type World } from '../session.ts';

/** What commands are made in. */
export interface Surroundings {
  world: World;
  /** What a command was about to do, for the message of an error. */
  circumstances: Circumstances;
}

/** A part of the command line, which adds itself to the program. */
export type CommandPart = (program: Command, surroundings: Surroundings) => void;

/**
 * An action that works in a session.
 *
 * @param work Is given the arguments that the command declares, and its own options.
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

/** The help behind the options: examples, each with what it does. */
export function examples(...rows: readonly (readonly [line: string, does: string])[]): string {
  const width = Math.max(...rows.map(([line]) => line.length));
  return ['', 'Examples:', ...rows.map(([line, does]) => `  ${line.padEnd(width)}  ${does}`), ''].join('\n');
}
