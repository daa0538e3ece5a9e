import { isatty } from 'node:tty';
import { styleText } from 'node:util';
import type { RequestEntry } from './request-entry.ts';

type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;

/** Control characters, line separators, and characters that change the direction of text. */
const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;
const LEVEL_STYLES: Readonly<Record<string, Style>> = {
  trace: 'gray',
  debug: 'gray',
  info: 'green',
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
};
const STATUS_STYLES: readonly Style[] = ['gray', 'gray', 'green', 'cyan', 'yellow', 'red'];
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/**
 * Creates the format for people: one short line for each log line, in local time, and the stack of an error below it.
 * Control characters are escaped.
 *
 * @param isColoured Default: whether standard output is a terminal that shows colours; `NO_COLOR` turns them off.
 * @returns A function that formats a line of JSON. Source: security T38.
 */
export function createPrettyFormat(isColoured = isatty(1) && process.stdout.hasColors()): (line: string) => string {
  const paint: Paint = isColoured
    ? (style, text) => styleText(style, text, { validateStream: false })
    : (_style, text) => text;
  return (line) => {
    const entry = JSON.parse(line) as Record<string, unknown>;
    const time = paint('gray', new Date(String(entry['time'])).toTimeString().slice(0, 8));
    return `${time} ${entry['msg'] === 'request' ? formatRequest(entry, paint) : formatMessage(entry, paint)}\n`;
  };
}

/** Formats a request, such as `GET 200 4ms 1.2kB blog.localhost/index.html`. */
function formatRequest(entry: Record<string, unknown>, paint: Paint): string {
  const { method, host = '', path, status, bytes, durationMs, aborted } = entry as unknown as RequestEntry;
  const shownStatus = paint(STATUS_STYLES[Math.floor(Number(status) / 100)] ?? 'red', String(status ?? '---'));
  const address = escapeControls(`${host}${path}`);
  const parts = [escapeControls(textOf(method)), shownStatus, formatMs(durationMs), formatBytes(bytes), address];
  return [...parts, ...(aborted ? [paint('yellow', 'aborted')] : [])].join(' ');
}

function formatMessage(entry: Record<string, unknown>, paint: Paint): string {
  const { level, time: _time, msg, err, ...fields } = entry;
  const shownLevel = paint(LEVEL_STYLES[String(level)] ?? 'red', String(level).toUpperCase().padEnd(5));
  const shownFields = Object.entries(fields).map(
    ([name, value]) => `${paint('gray', `${escapeControls(name)}=`)}${formatValue(value)}`,
  );
  const head = [shownLevel, escapeControls(textOf(msg)), ...shownFields].join(' ');
  return [head, ...errorLines(err).map((line) => `    ${escapeControls(line)}`)].join('\n');
}

function errorLines(err: unknown): string[] {
  if (err === undefined) return [];
  const { stack, type: _type, message, ...others } = Object(err) as Record<string, unknown>;
  const lines = textOf(stack ?? message ?? err).split('\n');
  return Object.keys(others).length === 0 ? lines : [...lines, JSON.stringify(others)];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function formatValue(value: unknown): string {
  const text = typeof value === 'string' && /^[\w.:/@%+-]+$/.test(value) ? value : JSON.stringify(value);
  return escapeControls(text);
}

function formatMs(durationMs: number): string {
  return durationMs < 10_000 ? `${Math.round(durationMs)}ms` : `${Math.round(durationMs / 1_000)}s`;
}

function formatBytes(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const amount = bytes / 1_000 ** unit;
  return `${unit === 0 || amount >= 100 ? Math.round(amount) : Math.round(amount * 10) / 10}${UNITS[unit]}`;
}

function escapeControls(text: string): string {
  return text.replace(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
