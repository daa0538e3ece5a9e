import { Command, CommanderError } from 'commander';

/** The functions that print a text to standard output and to standard error. */
export interface CommandOutput {
  out(text: string): void;
  err(text: string): void;
}

/** The error for an invalid command line or setting. Its message says what is valid. */
export class UsageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UsageError';
  }
}

/** Creates the root command of a program, for {@link parseCommandLine}. The subcommands inherit the help option. */
export function createCommand(name: string, { out, err }: CommandOutput): Command {
  return new Command(name)
    .helpOption('-h, --help', 'show help')
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: err, outputError() {} });
}

/**
 * Parses a command line and runs its command.
 *
 * @param words The arguments after the name of the program.
 * @returns `false` if a command is missing, and the help was printed to standard error instead.
 * @throws UsageError for an invalid command line, with the error of the parser as its cause, and any error of the command.
 */
export async function parseCommandLine(program: Command, words: readonly string[]): Promise<boolean> {
  try {
    await program.parseAsync([...words], { from: 'user' });
    return true;
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode === 0) return true;
    if (thrown.code === 'commander.help') return false;
    const message = thrown.message.replace(/^error: /, '').replace(/\n\((.*)\)$/, '. $1');
    throw new UsageError(message, { cause: thrown });
  }
}
