import type { Core } from '@berth/core';
import type { Config } from '../config/config.ts';

/** The context of a running command. */
export interface Session {
  core: Core;
  config: Config;
  /** Prints a line to standard output. */
  print(line: string): void;
  /** Shows progress on an interactive terminal; an empty text clears it. */
  progress(text: string): void;
}

/** An option: `--plan <plan>` when it has a `value`, else `--now`. */
export interface Option {
  /** Name of the value in the help. */
  value?: string;
  help: string;
}

/** The arguments and options of a command line, checked against the usage of the command. */
export interface Input {
  /** The value of a positional argument by name. All positional arguments are present. */
  get(argument: string): string;
  /** The value of an option, `undefined` if it is not set. */
  option(name: string): string | undefined;
  /** Whether an option without a value is set. */
  has(name: string): boolean;
}

/** One command of the operator. */
export interface Command {
  /** The words to type: a noun and usually a verb. */
  name: string;
  summary: string;
  /** Further lines of the help. */
  details?: readonly string[];
  /** The positional arguments, all of them required. */
  arguments?: readonly string[];
  options?: Readonly<Record<string, Option>>;
  /** Example command lines, without `npm run berth --`. */
  examples: readonly string[];
  /** Checks the input before anything is opened. @throws UsageError. */
  check?(input: Input): void;
  /** @returns `false` if the exit code should be 1. */
  run(session: Session, input: Input): Promise<boolean | void>;
}

/** The command line is invalid. */
export class UsageError extends Error {
  /** The command in question, if it could be determined. */
  readonly command: Command | null;

  constructor(message: string, command: Command | null = null) {
    super(message);
    this.name = 'UsageError';
    this.command = command;
  }
}

/** The `--json` option of every command that prints data. */
export const JSON_OPTION: Readonly<Record<string, Option>> = { json: { help: 'Print JSON, for programs.' } };

/** Prints a value as JSON. */
export function printJson({ print }: Session, value: unknown): void {
  print(JSON.stringify(value, null, 2));
}
