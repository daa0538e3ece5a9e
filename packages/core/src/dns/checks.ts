import { isIPv6 } from 'node:net';
import type { DnsCheck } from '../entities/domain.ts';
import type { DnsAnswer, DnsQuery } from './resolver.ts';

/** A DNS record that a domain must have. */
export interface WantedRecord {
  type: 'A' | 'AAAA' | 'CNAME' | 'TXT';
  /** The full name of the record, as A-labels without a trailing dot. */
  name: string;
  /** The accepted values; a domain needs only one of them. */
  values: readonly string[];
}

/** Maximum length of a chain of CNAME records. Source: security T30. */
const MAX_HOPS = 5;
/** Maximum number of found values that are stored and shown. */
const MAX_SHOWN_VALUES = 10;
/** Maximum length of a found value that is stored and shown; longer values are cut. */
const MAX_SHOWN_CHARACTERS = 255;
/** Control and formatting characters, including NUL, which must not reach a page or a JSON column. */
const UNPRINTABLE_CHARACTERS = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** Checks one wanted record. Never throws. Source: api §4; security T30. */
export async function checkRecord(query: DnsQuery, wanted: WantedRecord): Promise<DnsCheck> {
  if (wanted.type === 'CNAME') return checkCname(query, wanted);
  const answer = await query(wanted.type, wanted.name);
  if (answer.kind !== 'found') return notFound(wanted, [], answer);
  const foundValues = new Set(answer.values.map((value) => canonicalValue(wanted.type, value)));
  if (wanted.values.some((value) => foundValues.has(canonicalValue(wanted.type, value))))
    return toCheck(wanted, answer.values);
  const unreadNote =
    answer.unread > 0 ? ` ${answer.unread} more records were not read because there are too many.` : '';
  return toCheck(wanted, answer.values, `Saw ${enumerate(answer.values)}, want ${wantedText(wanted)}.${unreadNote}`);
}

/** Checks whether a name points at one of the wanted targets, directly or through further CNAME records. */
async function checkCname(query: DnsQuery, wanted: WantedRecord): Promise<DnsCheck> {
  const targets = new Set(wanted.values.map(canonicalName));
  const cnameChain = [canonicalName(wanted.name)];
  for (let hop = 0; hop < MAX_HOPS; hop += 1) {
    const answer = await query('CNAME', cnameChain.at(-1)!);
    const foundNames = cnameChain.slice(1);
    if (answer.kind === 'failed') return notFound(wanted, foundNames, answer);
    if (answer.kind === 'none') {
      if (hop > 0) return failedCheck(wanted, foundNames);
      return answer.missing === 'name' ? notFound(wanted, foundNames, answer) : checkWithoutCname(query, wanted);
    }
    const [target = ''] = answer.values.map(canonicalName);
    if (targets.has(target)) return toCheck(wanted, [...foundNames, target]);
    if (cnameChain.includes(target))
      return failedCheck(wanted, [...foundNames, target], 'The CNAME records form a loop.');
    cnameChain.push(target);
  }
  return failedCheck(wanted, cnameChain.slice(1), `The name goes through more than ${MAX_HOPS} CNAME records.`);
}

/** A name without a CNAME record often has the addresses of a provider's proxy or of a previous site. */
async function checkWithoutCname(query: DnsQuery, wanted: WantedRecord): Promise<DnsCheck> {
  const addresses = await query('A', wanted.name);
  if (addresses.kind !== 'found')
    return notFound(wanted, [], { kind: 'none', missing: 'record', reason: 'There is no CNAME record at this name.' });
  return failedCheck(
    wanted,
    addresses.values,
    'There is an A record instead of a CNAME record. Remove it, or turn off the proxy of the DNS provider.',
  );
}

function failedCheck(wanted: WantedRecord, found: readonly string[], why?: string): DnsCheck {
  const comparison = `Saw ${enumerate(found)}, want ${wantedText(wanted)}.`;
  return toCheck(wanted, found, why === undefined ? comparison : `${why} ${comparison}`);
}

function notFound(
  wanted: WantedRecord,
  found: readonly string[],
  answer: Exclude<DnsAnswer, { kind: 'found' }>,
): DnsCheck {
  return answer.kind === 'failed'
    ? { ...toCheck(wanted, found, answer.reason), failed: true }
    : toCheck(wanted, found, `${answer.reason} Want ${wantedText(wanted)}.`);
}

/** @param reason Why the check is not `ok`. */
function toCheck({ type, name, values }: WantedRecord, found: readonly string[], reason?: string): DnsCheck {
  const shownValues = found.slice(0, MAX_SHOWN_VALUES).map(toPrintable);
  return { type, name, expected: [...values], found: shownValues, ok: reason === undefined, ...(reason && { reason }) };
}

function wantedText({ values }: WantedRecord): string {
  return values.length > 1 ? `one of ${enumerate(values)}` : enumerate(values);
}

function enumerate(values: readonly string[]): string {
  const shownValues = values.slice(0, MAX_SHOWN_VALUES).map((value) => `"${toPrintable(value)}"`);
  return (
    shownValues.join(', ') + (values.length > MAX_SHOWN_VALUES ? ` and ${values.length - MAX_SHOWN_VALUES} more` : '')
  );
}

function toPrintable(text: string): string {
  const printableText = text.replace(UNPRINTABLE_CHARACTERS, '\u{FFFD}');
  return printableText.length > MAX_SHOWN_CHARACTERS
    ? `${printableText.slice(0, MAX_SHOWN_CHARACTERS)}…`
    : printableText;
}

function canonicalName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** Returns the same text for all notations of an IPv6 address, and any other value unchanged. */
function canonicalValue(type: WantedRecord['type'], value: string): string {
  return type === 'AAAA' && isIPv6(value) ? new URL(`http://[${value}]`).hostname : value;
}
