import type { Log } from '@berth/core';
import { ConfigError } from '../config/config-error.ts';
import { readConfig } from '../config/config.ts';
import { openCore } from '../service/open-core.ts';
import { readArguments } from './arguments.ts';
import { UsageError } from './command.ts';
import { COMMANDS } from './commands.ts';
import { manual, overview, usage } from './help.ts';

/** The terminal of a command. */
export interface Terminal {
  /** Writes the result. */
  out(text: string): void;
  /** Writes everything else. */
  err(text: string): void;
  /** Whether to show progress, because a person is watching. */
  isInteractive: boolean;
}

/** The exit codes. */
export const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

const CLEAR_LINE = '\r\u001b[K';

/**
 * Runs one command line of the operator on the service that the environment describes, whether its server is running or not.
 *
 * @param resources Receives everything that is opened. Dispose of it if the command is interrupted.
 * @returns The exit code. Never throws; errors are printed as plain messages.
 * Source: api §8.
 */
export async function operate(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  terminal: Terminal,
  resources: AsyncDisposableStack = new AsyncDisposableStack(),
): Promise<number> {
  try {
    const request = readArguments(COMMANDS, words);
    if (request.kind === 'help') {
      terminal.out(request.command ? manual(request.command) : overview(COMMANDS));
      return EXIT.ok;
    }
    const config = readConfig(env);
    await using _ = resources;
    const core = await openCore(config, { log: warningsOn(terminal), resources, visitor: true });
    const session = {
      core,
      config,
      print: (line: string) => terminal.out(`${line}\n`),
      progress: (text: string) => void (terminal.isInteractive && terminal.err(`${CLEAR_LINE}${text}`)),
    };
    return (await request.command.run(session, request.input)) === false ? EXIT.failed : EXIT.ok;
  } catch (error) {
    terminal.err(`${explain(error)}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}

/** Logs warnings and errors of services to stderr. */
function warningsOn({ err }: Terminal): Log {
  return {
    info() {},
    warn: (_, message) => err(`Warning: ${message}.\n`),
    error: (_, message) => err(`Error: ${message}.\n`),
  };
}

/** Formats an error as a message for the operator. */
function explain(error: unknown): string {
  if (error instanceof ConfigError) return `The configuration is invalid:\n${error.message}`;
  const { message, code } = error as NodeJS.ErrnoException;
  if (!(error instanceof UsageError)) return message || `The command failed: ${code ?? 'unknown error'}.`;
  const more = error.command
    ? `  npm run berth -- ${usage(error.command)}\nMore: npm run berth -- help ${error.command.name}`
    : 'All commands: npm run berth -- help';
  return `${message}${/[.?]$/.test(message) ? '' : '.'}\n${more}`;
}
