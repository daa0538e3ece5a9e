import type { Core } from '@berth/core';
import { actForAccount } from '@berth/core/operator';
import { table } from '@berth/terminal';
import type { Command } from 'commander';
import type { Config } from '../config/config.ts';

/** How to call the program. */
export const PROGRAM = 'npm run berth --';

/** The context of a running command. */
export interface Session {
  core: Core;
  config: Config;
  /** Prints text to standard output, and ends the line. */
  print(text: string): void;
  /** Shows progress on an interactive terminal; an empty text clears it. */
  progress(text: string): void;
  /** Lets the program exit with 1 although nothing was thrown. */
  fail(): void;
}

/** Opens the service that the environment describes. Commands check their input before they call it. */
export type OpenSession = () => Promise<Session>;

/** A part of the command line. Adds its commands to the program. */
export type CommandPart = (program: Command, open: OpenSession) => void;

/** The parsed {@link JSON_OPTION}. */
export interface JsonOption {
  json?: boolean;
}

/** The option of commands that print data. */
export const JSON_OPTION = ['--json', 'print JSON, for programs'] as const;

/** The argument that names an account. */
export const ACCOUNT = ['<account>', 'its id or e-mail address'] as const;

/** Finds the id of the account that an argument names. @throws `not_found`. */
export async function findAccount(core: Core, named: string): Promise<string> {
  return (await actForAccount(core, named)).caller.account;
}

/** The help text after the options: command lines without the name of the program. */
export function examples(...lines: readonly string[]): string {
  return ['', 'Examples:', ...lines.map((line) => `  ${PROGRAM} ${line}`)].join('\n');
}

export function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** Formats rows as a table, or returns `emptyText` if there are none. */
export function formatList(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  emptyText: string,
): string {
  return table(heading, rows).join('\n') || emptyText;
}

/** Formats a time for people, in UTC. @param seconds Unix seconds; `null` gives `-`. */
export function formatTime(seconds: number | null): string {
  return seconds === null ? '-' : new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Bytes for people, in the units of the configuration: `512 bytes`, `1.5 GiB`. */
export function formatBytes(sizeBytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, sizeBytes)) / 10));
  return `${Math.round((sizeBytes / 1024 ** power) * 10) / 10} ${UNITS[power]}`;
}
