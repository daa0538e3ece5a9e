import type { Log } from '@berth/core';
import { ConfigError, readConfig } from '../config.ts';
import { openCore } from '../open-core.ts';
import { readArguments } from './arguments.ts';
import { UsageError } from './command.ts';
import { COMMANDS } from './commands.ts';
import { manual, overview, usage } from './help.ts';

/** Where a command prints. */
export interface Terminal {
  /** Takes the answer. */
  out(text: string): void;
  /** Takes everything beside it. */
  err(text: string): void;
  /** Whether a person looks on, who wants to see how far it has come. */
  isWatched: boolean;
}

/** What a command line ends with. */
export const EXIT = { ok: 0, failed: 1, misunderstood: 2, interrupted: 130 } as const;

const CLEAR_LINE = '\r\u001b[K';

/**
 * Runs one command line of the operator on the service that an environment describes, whether its server runs or not.
 *
 * @param resources Lets everything go that was opened, also when the command is interrupted.
 * @returns The exit code. Whatever goes wrong is said in plain words; nothing is thrown.
 * Source: contract §8.
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
      progress: (text: string) => void (terminal.isWatched && terminal.err(`${CLEAR_LINE}${text}`)),
    };
    return (await request.command.run(session, request.input)) === false ? EXIT.failed : EXIT.ok;
  } catch (error) {
    terminal.err(`${explain(error)}\n`);
    return error instanceof UsageError ? EXIT.misunderstood : EXIT.failed;
  }
}

/** What services have to say goes beside the answer. */
function warningsOn({ err }: Terminal): Log {
  return {
    info() {},
    warn: (_, message) => err(`Warning: ${message}.\n`),
    error: (_, message) => err(`Error: ${message}.\n`),
  };
}

/** What was wrong, in words that say what to do. */
function explain(error: unknown): string {
  if (error instanceof ConfigError) return `This configuration cannot be used:\n${error.message}`;
  const { message, code } = error as NodeJS.ErrnoException;
  if (!(error instanceof UsageError)) return message || `It failed: ${code ?? 'for no known reason'}.`;
  const more = error.command
    ? `  npm run berth -- ${usage(error.command)}\nMore: npm run berth -- help ${error.command.name}`
    : 'All commands: npm run berth -- help';
  return `${message}${/[.?]$/.test(message) ? '' : '.'}\n${more}`;
}
