import { basename } from 'node:path';
import type { Core } from '@berth/core';
import { actForAccount } from '@berth/core/operator';
import { table } from '@berth/terminal';
import { type Command, InvalidArgumentError } from 'commander';
import type { Config } from '../config/config.ts';
import type { CoreOptions, OpenStores } from '../service/open-core.ts';

/** The name of the link to this program in the image and in systemd installations. */
const ADMIN = 'berth-admin';

/** How the operator has started this program. Help and messages name it. */
export const PROGRAM = basename(process.argv[1] ?? '') === ADMIN ? ADMIN : 'npm run berth --';

/** The terminal and the configuration of a command. */
export interface CommandContext {
  config: Config;
  /** Prints text and a line feed to standard output. */
  print(text: string): void;
  /** Replaces the progress line of an interactive terminal. An empty text removes the line. */
  progress(text: string): void;
  /** Prints text and a line feed to standard error. */
  note(text: string): void;
  /** Lets the program exit with 1 although the command throws nothing. */
  fail(): void;
  /** Is disposed of when the command ends or is interrupted. */
  resources: AsyncDisposableStack;
}

export interface Session extends CommandContext {
  core: Core;
}

/** The database, without migrating it, and the packs. No server can use the embedded database meanwhile. */
interface TargetSession extends CommandContext {
  target: OpenStores;
}

/**
 * Opens the service of this environment, and migrates its database unless `migrate` is false. Commands must check their input
 * first.
 */
export type OpenSession = (options?: Pick<CoreOptions, 'migrate'>) => Promise<Session>;

/** Opens what a restore writes to. Commands must check their input first. */
export type OpenTarget = () => Promise<TargetSession>;

export type CommandPart = (program: Command, open: OpenSession, openTarget: OpenTarget) => void;

export interface JsonOption {
  json?: boolean;
}

export const JSON_OPTION = ['--json', 'print JSON, for programs'] as const;

/** Returns the id of the account with this id or e-mail address. @throws `not_found`. */
export async function findAccount(core: Core, named: string): Promise<string> {
  return (await actForAccount(core, named)).caller.account;
}

/** Formats examples for the help. @param lines Command lines without the name of the program. */
export function examples(...lines: readonly string[]): string {
  return ['', 'Examples:', ...lines.map((line) => `  ${PROGRAM} ${line}`)].join('\n');
}

/** The error of a command that needs plans. */
export const NO_PLANS = 'This server has no plans, because PLANS_FILE is "none": no account has caps.';

export function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** Reads the value of `--limit`. */
function limitOf(text: string): number {
  const limit = Number(text);
  if (!/^\d{1,6}$/.test(text) || limit < 1)
    throw new InvalidArgumentError('the limit must be a whole number from 1 to 999999');
  return limit;
}

/** The option `--limit` of a list. */
export const LIMIT_OPTION = ['--limit <count>', 'the maximum number of rows', limitOf, 50] as const;

/** Formats rows as a table, or returns `emptyText` if there are none. */
export function formatList(heading: readonly string[], rows: readonly string[][], emptyText: string): string {
  return table(heading, rows).join('\n') || emptyText;
}

/** Formats Unix seconds as a UTC time to the minute, and `null` as `-`. */
export function formatTime(seconds: number | null): string {
  return seconds === null ? '-' : new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats a size such as `512 bytes` or `1.5 GiB`. */
export function formatBytes(sizeBytes: number): string {
  const unitIndex = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, sizeBytes)) / 10));
  return `${Math.round((sizeBytes / 1024 ** unitIndex) * 10) / 10} ${UNITS[unitIndex]}`;
}
