import type { Core } from '@berth/core';
import type { Config } from '../config.ts';

/** What a command works with. */
export interface Session {
  core: Core;
  config: Config;
  /** Prints a line to standard output. */
  print(line: string): void;
  /** Shows how far it has come, where a person looks on; an empty text takes the last one away. */
  progress(text: string): void;
}

/** An option: `--plan <plan>` when it has a `value`, else `--now`. */
export interface Option {
  /** What follows it, in the words of the help. */
  value?: string;
  help: string;
}

/** What was typed behind the name of a command, checked against its usage. */
export interface Input {
  /** The value of a positional argument, by its name; one that is missing was refused before. */
  get(argument: string): string;
  /** The value of an option, `undefined` when it was not given. */
  option(name: string): string | undefined;
  /** Whether an option without a value was given. */
  has(name: string): boolean;
}

/** One command of the operator. */
export interface Command {
  /** What is typed: a noun and mostly a verb. */
  name: string;
  summary: string;
  /** Further lines of its help. */
  details?: readonly string[];
  /** Its positional arguments, all of them required. */
  arguments?: readonly string[];
  options?: Readonly<Record<string, Option>>;
  /** What may be typed behind `berth`. */
  examples: readonly string[];
  /** Looks at what was typed before anything is opened. @throws UsageError. */
  check?(input: Input): void;
  /** @returns Whether all is well; nothing means yes. */
  run(session: Session, input: Input): Promise<boolean | void>;
}

/** What was typed cannot be understood. */
export class UsageError extends Error {
  /** The command it was about, when that was clear. */
  readonly command: Command | null;

  constructor(message: string, command: Command | null = null) {
    super(message);
    this.name = 'UsageError';
    this.command = command;
  }
}

/** The option that every command has which answers with more than a word. */
export const JSON_OPTION: Readonly<Record<string, Option>> = { json: { help: 'Print JSON, for programs.' } };

/** Prints a value for programs. */
export function printJson({ print }: Session, value: unknown): void {
  print(JSON.stringify(value, null, 2));
}
