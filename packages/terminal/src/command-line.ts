import { Command, CommanderError } from 'commander';

/** Where the help of a program goes. */
export interface CommandOutput {
  /** Prints text to standard output. */
  out(text: string): void;
  /** Prints text to standard error. */
  err(text: string): void;
}

/** The command line or a setting is invalid. The message says what would be valid. */
export class UsageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UsageError';
  }
}

/** Creates the root command of a program, for {@link parseCommandLine}. Its subcommands inherit the help option. */
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
 * @returns `false` if no command was named where one is required. The help was printed to standard error then.
 * @throws UsageError for an invalid command line, with the error of the parser as its cause; and what the command throws.
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
