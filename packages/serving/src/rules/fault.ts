import type { Warning } from '@berth/contract';

/** The reason why a line or an entry of a rule file is invalid and is skipped. Source: serving S23. */
export class Fault {
  /** A sentence without a full stop that says what must be true and what to write instead. */
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** A rule file, and the line or the entry in the file. */
type Position = Omit<Warning, 'message'>;

/** Receives each warning about the rule files. */
export type Warn = (position: Position, message: string) => void;

/** A rule, and its position in the rule files. */
export interface Placed<Rule> {
  rule: Rule;
  position: Position;
}

/** Formats a key of `ship.json` for a position. Quotes the key if it is long or has unusual characters. */
export function keyName(key: string): string {
  return /^[\w$-]{1,40}$/.test(key) ? key : quote(key);
}

/** Formats text of a rule file for a message: in quotes, printable and short. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
