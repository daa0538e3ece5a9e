import { isIPv6 } from 'node:net';
import type { DnsCheck } from '../entities/domain.ts';
import type { DnsAnswer, DnsQuery } from './resolver.ts';

/** A DNS record that a domain must have. */
export interface WantedRecord {
  type: 'A' | 'AAAA' | 'CNAME' | 'TXT';
  /** The full name of the record, as A-labels without a trailing dot. */
  name: string;
  /** One of them is enough. */
  values: readonly string[];
}

/** Maximum length of a chain of CNAME records. Source: security T30. */
const MAX_HOPS = 5;
/** Bounds of the found values that are stored and shown. */
const MAX_SHOWN = 10;
const MAX_SHOWN_CHARACTERS = 255;
/** Characters that must not reach a page or a JSON column: control and formatting characters, including NUL. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** Checks one wanted record. Never throws. Source: api §4; security T30. */
export async function checkRecord(query: DnsQuery, wanted: WantedRecord): Promise<DnsCheck> {
  return wanted.type === 'CNAME'
    ? checkCname(query, wanted)
    : checkValues(wanted, await query(wanted.type, wanted.name));
}

/** Checks whether a name has the wanted values. Additional values are fine. */
function checkValues(wanted: WantedRecord, answer: DnsAnswer): DnsCheck {
  if (answer.kind !== 'found') return notFound(wanted, [], answer);
  const found = new Set(answer.values.map((value) => canonicalValue(wanted.type, value)));
  if (wanted.values.some((value) => found.has(canonicalValue(wanted.type, value))))
    return { ...describe(wanted, answer.values), ok: true };
  const unread = answer.unread > 0 ? ` ${answer.unread} more records were not read because there are too many.` : '';
  return {
    ...describe(wanted, answer.values),
    ok: false,
    reason: `Saw ${enumerate(answer.values)}, want ${wantedText(wanted)}.${unread}`,
  };
}

/** Checks whether a name points to one of the wanted targets, directly or through further CNAME records. */
async function checkCname(query: DnsQuery, wanted: WantedRecord): Promise<DnsCheck> {
  const targets = new Set(wanted.values.map(canonicalName));
  const chain = [canonicalName(wanted.name)];
  for (let hop = 0; hop < MAX_HOPS; hop += 1) {
    const answer = await query('CNAME', chain.at(-1)!);
    const seen = chain.slice(1);
    if (answer.kind === 'failed') return notFound(wanted, seen, answer);
    if (answer.kind === 'none') {
      if (hop > 0) return mismatch(wanted, seen);
      return answer.missing === 'name' ? notFound(wanted, seen, answer) : withoutCname(query, wanted);
    }
    const [target = ''] = answer.values.map(canonicalName);
    if (targets.has(target)) return { ...describe(wanted, [...seen, target]), ok: true };
    if (chain.includes(target)) return mismatch(wanted, [...seen, target], 'The CNAME records form a loop.');
    chain.push(target);
  }
  return mismatch(wanted, chain.slice(1), `The name goes through more than ${MAX_HOPS} CNAME records.`);
}

/** A name without a CNAME record often has addresses, of a provider's proxy or of a previous site. */
async function withoutCname(query: DnsQuery, wanted: WantedRecord): Promise<DnsCheck> {
  const addresses = await query('A', wanted.name);
  if (addresses.kind !== 'found')
    return notFound(wanted, [], { kind: 'none', missing: 'record', reason: 'There is no CNAME record at this name.' });
  return mismatch(
    wanted,
    addresses.values,
    'There is an A record instead of a CNAME record. Remove it, or turn off the proxy of the DNS provider.',
  );
}

function mismatch(wanted: WantedRecord, found: readonly string[], why?: string): DnsCheck {
  const saw = `Saw ${enumerate(found)}, want ${wantedText(wanted)}.`;
  return { ...describe(wanted, found), ok: false, reason: why === undefined ? saw : `${why} ${saw}` };
}

function notFound(
  wanted: WantedRecord,
  found: readonly string[],
  answer: Exclude<DnsAnswer, { kind: 'found' }>,
): DnsCheck {
  const reason = answer.kind === 'failed' ? answer.reason : `${answer.reason} Want ${wantedText(wanted)}.`;
  return { ...describe(wanted, found), ok: false, reason, ...(answer.kind === 'failed' ? { failed: true } : {}) };
}

function describe({ type, name, values }: WantedRecord, found: readonly string[]) {
  return { type, name, expected: [...values], found: found.slice(0, MAX_SHOWN).map(printable) };
}

function wantedText({ values }: WantedRecord): string {
  return values.length > 1 ? `one of ${enumerate(values)}` : enumerate(values);
}

function enumerate(values: readonly string[]): string {
  const shown = values.slice(0, MAX_SHOWN).map((value) => `"${printable(value)}"`);
  return shown.join(', ') + (values.length > MAX_SHOWN ? ` and ${values.length - MAX_SHOWN} more` : '');
}

function printable(text: string): string {
  const clean = text.replace(UNPRINTABLE, '\u{FFFD}');
  return clean.length > MAX_SHOWN_CHARACTERS ? `${clean.slice(0, MAX_SHOWN_CHARACTERS)}…` : clean;
}

/** Names are compared without case and without a trailing dot. */
function canonicalName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** IPv6 addresses are compared by value, other values exactly. */
function canonicalValue(type: WantedRecord['type'], value: string): string {
  return type === 'AAAA' && isIPv6(value) ? new URL(`http://[${value}]`).hostname : value;
}
