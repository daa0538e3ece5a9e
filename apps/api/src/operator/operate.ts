import { armFailpoint, type Log } from '@berth/core';
import { createCommand, escapeControls, parseCommandLine, UsageError } from '@berth/terminal';
import type { Command } from 'commander';
import { ConfigError } from '../config/environment-reader.ts';
import { readConfig } from '../config/config.ts';
import { openCore, openStores } from '../service/open-core.ts';
import { addAccounts, addMembers } from './accounts.ts';
import { addBackup } from './backup.ts';
import { addDoctor } from './doctor.ts';
import { addKeys } from './keys.ts';
import { addMigrate } from './migrate.ts';
import { addPlans } from './plans.ts';
import { addRestore } from './restore.ts';
import { type CommandContext, type CommandPart, type OpenSession, type OpenTarget, PROGRAM } from './session.ts';
import { addSignIn } from './sign-in.ts';
import { addDomains, addSites, addSweep } from './sites.ts';
import { addTransfer } from './transfer.ts';

export interface Terminal {
  /** Writes the result of the command. */
  out(text: string): void;
  /** Writes errors, warnings and progress. */
  err(text: string): void;
  /** Whether a person is watching, so that progress is shown. */
  isInteractive: boolean;
}

export const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

const CLEAR_LINE = '\r\u001b[K';

/** Adds the commands in the order in which the help lists them. */
const PARTS: readonly CommandPart[] = [
  addAccounts,
  addPlans,
  addKeys,
  addMembers,
  addSignIn,
  addSites,
  addDomains,
  addSweep,
  addDoctor,
  addBackup,
  addRestore,
  addTransfer,
  addMigrate,
];

const MORE_HELP =
  '\nAn account is named by its id or e-mail address, a deployment by its id or address.\n' +
  'Exit codes: 0 on success, 1 if the command failed or the doctor found problems, 2 if the command line is invalid.';

/**
 * Runs one command line of the operator. Works whether the server of this environment is running or not.
 *
 * @param resources Receives everything that is opened. Dispose of it if the command is interrupted.
 * @returns The exit code. Never throws: errors are printed. Source: api §8.
 */
export async function operate(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  terminal: Terminal,
  resources: AsyncDisposableStack = new AsyncDisposableStack(),
): Promise<number> {
  let exitCode: number = EXIT.ok;
  const begin = (): CommandContext => {
    const config = readConfig(env);
    armFailpoint(config.failpoint);
    return {
      config,
      print: (text) => terminal.out(`${text}\n`),
      note: (text) => terminal.err(`${text}\n`),
      progress: (text) => void (terminal.isInteractive && terminal.err(`${CLEAR_LINE}${text}`)),
      fail: () => (exitCode = EXIT.failed),
      resources,
    };
  };
  const options = { log: warningsOn(terminal), resources };
  const program = createProgram(
    terminal,
    async (sessionOptions) => {
      const context = begin();
      return { ...context, core: await openCore(context.config, { ...options, ...sessionOptions, visitor: true }) };
    },
    async () => {
      const context = begin();
      return { ...context, target: await openStores(context.config, { ...options, migrate: false }) };
    },
  );
  try {
    await using _ = resources;
    if (!(await parseCommandLine(program, words))) exitCode = EXIT.usage;
  } catch (error) {
    terminal.err(error instanceof UsageError ? explainUsage(error, program, words) : `${explainError(error)}\n`);
    exitCode = error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
  return exitCode;
}

export function createProgram(
  terminal: Pick<Terminal, 'out' | 'err'>,
  open: OpenSession,
  openTarget: OpenTarget,
): Command {
  const program = createCommand(PROGRAM, terminal)
    .description('Administers the Berth service of this configuration, whether its server is running or not.')
    .usage('<command>')
    .addHelpText('after', MORE_HELP);
  for (const addCommands of PARTS) addCommands(program, open, openTarget);
  program
    .command('help')
    .description('Show the help of a command.')
    .argument('[command...]')
    .action((path: readonly string[]) => {
      const command = findCommand(program, path);
      if (command === undefined) throw new UsageError(`There is no command "${path.join(' ')}"`);
      command.outputHelp();
    });
  return program;
}

function findCommand(program: Command, path: readonly string[]): Command | undefined {
  return path.reduce<Command | undefined>(
    (command, word) => command?.commands.find((each) => each.name() === word),
    program,
  );
}

function warningsOn({ err }: Terminal): Log {
  return {
    info() {},
    warn: (_, message) => err(`Warning: ${message}.\n`),
    error: (_, message) => err(`Error: ${message}.\n`),
  };
}

function explainError(error: unknown): string {
  if (error instanceof ConfigError) return `The configuration is invalid:\n${error.message}`;
  const { message, code } = error as NodeJS.ErrnoException;
  return message || `The command failed: ${code ?? 'unknown error'}.`;
}

function explainUsage({ message }: UsageError, program: Command, words: readonly string[]): string {
  const command = findCommand(program, words.slice(0, 2)) ?? findCommand(program, words.slice(0, 1)) ?? program;
  const fullStop = /[.?]$/.test(message) ? '' : '.';
  return `Error: ${escapeControls(message)}${fullStop}\n  ${command.createHelp().commandUsage(command)}\nFor help: ${PROGRAM} help\n`;
}
