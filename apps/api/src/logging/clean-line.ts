import { hideSecrets } from './hide-secrets.ts';

/** Maximum length of a log line in bytes, including its line feed. Source: security T38. */
export const LINE_BYTES = 4096;

/** Lengths, in characters, to which the texts of a long line are cut. The first one with which the line fits is used. */
const TEXT_LENGTHS = [1_024, 256, 64, 16];
const MAX_MEMBERS = 24;
/** Matches characters that terminals interpret but JSON does not escape, such as DEL and bidirectional controls. */
const CONTROLS = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
/** Matches the value, or the list of values, after the name of a secret header in a JSON object or a flat JSON list. */
const HEADER_VALUES =
  /("(?:proxy-authorization|authorization|set-cookie|cookie)"[:,])(?:"(?:[^"\\]|\\.)*"|\[(?:"(?:[^"\\]|\\.)*",?)*\])/gi;

/**
 * Makes a line of JSON safe to keep and to show. Hides credentials, claim hashes and the values of `Authorization` and
 * `Cookie` headers, escapes control characters, and cuts texts so that the line has at most {@link LINE_BYTES}. The
 * result is JSON in one line, too. Source: security T20, T38.
 */
export function cleanLine(line: string): string {
  const safeLine = escapeControls(hideSecrets(line.replace(HEADER_VALUES, '$1"[hidden]"')));
  return Buffer.byteLength(safeLine) <= LINE_BYTES ? safeLine : shorten(JSON.parse(safeLine));
}

function shorten({ msg, ...fields }: Record<string, unknown>): string {
  for (const length of TEXT_LENGTHS) {
    const entry = { ...(shortenValue(fields, length) as object), msg };
    const line = `${escapeControls(JSON.stringify(entry, (name, value) => (name === '' ? value : shortenValue(value, length))))}\n`;
    if (Buffer.byteLength(line) <= LINE_BYTES) return line;
  }
  const { level, time } = fields;
  return `${escapeControls(JSON.stringify({ level, time, msg: shortenValue(msg, 256), cut: true }))}\n`;
}

function shortenValue(value: unknown, length: number): unknown {
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
