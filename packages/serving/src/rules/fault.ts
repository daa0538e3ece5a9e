import type { Warning } from '@berth/contract';

/** Why a line or an entry of a rule file is invalid. The whole line or entry is skipped. Source: serving S23. */
export class Fault {
  /** A sentence without its full stop: what must be true, and what to write instead. */
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** A position in the rule files: a file with a line, or with the path of an entry. */
type Position = Omit<Warning, 'message'>;

/** Receives each warning about the rule files. */
export type Warn = (position: Position, message: string) => void;

/** A rule and its position. */
export interface Placed<Rule> {
  rule: Rule;
  position: Position;
}

/** Formats a key of `ship.json` for a position: unchanged, or quoted if it is long or has unusual characters. */
export function keyName(key: string): string {
  return /^[\w$-]{1,40}$/.test(key) ? key : quote(key);
}

/** Formats text of a rule file for a message: quoted, printable and short. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
