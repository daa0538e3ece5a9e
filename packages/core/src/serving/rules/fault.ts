import type { Warning } from '@berth/contract';

/** What is wrong with a line or an entry of a rule file, which is then skipped whole. Source: serving S23. */
export class Fault {
  /** What was wrong and what would be right. */
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Where in the rule files something stands: a line, or the path of an entry. */
type Position = Omit<Warning, 'message'>;

/** Told of everything that is worth knowing about the rule files. */
export type Warn = (position: Position, message: string) => void;

/** A rule, and where it stands. */
export interface Placed<Rule> {
  rule: Rule;
  position: Position;
}

/** A key of `ship.json` as a position shows it: as it is, or quoted if it is long or has unusual characters. */
export function keyName(key: string): string {
  return /^[\w$-]{1,40}$/.test(key) ? key : quote(key);
}

/** Text of a rule file as a message may show it: quoted, printable and short. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
