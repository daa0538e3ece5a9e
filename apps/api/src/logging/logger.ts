import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import type { LogLevel } from '../config/config-values.ts';
import { hideSecrets } from './hide-secrets.ts';

/** The maximum length of a line, including its end. Source: security T38. */
export const LINE_BYTES = 4096;

/** Texts are cut to these lengths, in characters, one after the other, until the line fits. */
const TEXT_LENGTHS = [1_024, 256, 64, 16];
const MAX_MEMBERS = 24;
/**
 * Characters that JSON leaves as they are, but terminals and log viewers do not: DEL and C1 controls, line separators
 * and bidirectional controls.
 */
const CONTROLS = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
/** A value, or a list of values, that follows the name of such a header in an object or a flat list. */
const HEADER_VALUES =
  /("(?:proxy-authorization|authorization|set-cookie|cookie)"[:,])(?:"(?:[^"\\]|\\.)*"|\[(?:"(?:[^"\\]|\\.)*",?)*\])/gi;

/**
 * Creates the log: one JSON object per line on standard output. A line never contains a credential, a claim hash or a
 * value of an `Authorization` or `Cookie` header. Control characters are escaped. A line has at most 4 KB: long texts
 * are cut.
 *
 * Lines are written in the background and in batches. Pending lines are written when the process ends.
 *
 * @param destination Where lines go instead of standard output.
 * Source: security T20, T38.
 */
export function createLogger({ level, destination }: { level: LogLevel; destination?: DestinationStream }): Logger {
  const options = {
    level,
    base: undefined,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: cleanLine },
  };
  return pino(options, destination ?? pino.destination({ sync: false }));
}

function cleanLine(line: string): string {
  const safe = escapeControls(hideSecrets(line.replace(HEADER_VALUES, '$1"[hidden]"')));
  return Buffer.byteLength(safe) <= LINE_BYTES ? safe : shorten(JSON.parse(safe));
}

function shorten({ msg, ...fields }: Record<string, unknown>): string {
  for (const length of TEXT_LENGTHS) {
    const entry = { ...(cut(fields, length) as object), msg };
    const line = `${escapeControls(JSON.stringify(entry, (name, value) => (name === '' ? value : cut(value, length))))}\n`;
    if (Buffer.byteLength(line) <= LINE_BYTES) return line;
  }
  const { level, time } = fields;
  return `${escapeControls(JSON.stringify({ level, time, msg: cut(msg, 256), cut: true }))}\n`;
}

function cut(value: unknown, length: number): unknown {
  if (typeof value === 'string') return value.length > length ? `${value.slice(0, length).toWellFormed()}…` : value;
  if (Array.isArray(value)) return value.length > MAX_MEMBERS ? [...value.slice(0, MAX_MEMBERS), '…'] : value;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value);
  return members.length > MAX_MEMBERS
    ? Object.fromEntries([...members.slice(0, MAX_MEMBERS), ['…', members.length]])
    : value;
}

function escapeControls(line: string): string {
  return line.replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
