import { isIPv6 } from 'node:net';
import type { DnsCheck } from '../entities/domain.ts';
import type { WantedRecord } from './dns.ts';
import type { Answer, Look } from './resolver.ts';

/** How far a chain of CNAME records is followed. Source: security T30. */
const MAX_HOPS = 5;
/** How much of what was found is kept and shown. */
const MAX_SHOWN = 10;
const MAX_SHOWN_CHARACTERS = 255;
/** What must not reach a page or a JSON column as it is: control and formatting characters, NUL among them. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** Looks at one wanted record. Never throws. Source: contract §4; security T30. */
export async function checkRecord(look: Look, wanted: WantedRecord): Promise<DnsCheck> {
  return wanted.type === 'CNAME'
    ? checkCname(look, wanted)
    : checkValues(wanted, await look.ask(wanted.type, wanted.name));
}

/** Whether the values that stand at a name are those that are wanted. Further values do no harm. */
function checkValues(wanted: WantedRecord, answer: Answer): DnsCheck {
  if (answer.kind !== 'found') return missed(wanted, [], answer);
  const found = new Set(answer.values.map((value) => canonicalValue(wanted.type, value)));
  const absent = wanted.values.filter((value) => !found.has(canonicalValue(wanted.type, value)));
  const ok = wanted.match === 'all' ? absent.length === 0 : absent.length < wanted.values.length;
  if (ok) return { ...describe(wanted, answer.values), ok: true };
  const unread = answer.unread > 0 ? ` ${answer.unread} more records were not read: that many is too many.` : '';
  return {
    ...describe(wanted, answer.values),
    ok: false,
    reason: `Saw ${enumerate(answer.values)}, want ${wish(wanted, absent)}.${unread}`,
  };
}

/** Whether a name leads to one of the wanted targets, by a CNAME record of its own or through a few more. */
async function checkCname(look: Look, wanted: WantedRecord): Promise<DnsCheck> {
  const targets = new Set(wanted.values.map(canonicalName));
  const chain = [canonicalName(wanted.name)];
  for (let hop = 0; hop < MAX_HOPS; hop += 1) {
    const answer = await look.ask('CNAME', chain.at(-1)!);
    const seen = chain.slice(1);
    if (answer.kind === 'failed') return missed(wanted, seen, answer);
    if (answer.kind === 'none') {
      if (hop > 0) return mistaken(wanted, seen);
      return answer.missing === 'name' ? missed(wanted, seen, answer) : withoutCname(look, wanted);
    }
    const [target = ''] = answer.values.map(canonicalName);
    if (targets.has(target)) return { ...describe(wanted, [...seen, target]), ok: true };
    if (chain.includes(target)) return mistaken(wanted, [...seen, target], 'The CNAME records run in a circle.');
    chain.push(target);
  }
  return mistaken(wanted, chain.slice(1), `The name leads through more than ${MAX_HOPS} CNAME records.`);
}

/** A name that exists without a CNAME record often has addresses: a provider's proxy, or what stood there before. */
async function withoutCname(look: Look, wanted: WantedRecord): Promise<DnsCheck> {
  const addresses = await look.ask('A', wanted.name);
  if (addresses.kind !== 'found')
    return missed(wanted, [], { kind: 'none', missing: 'record', reason: 'There is no CNAME record at this name.' });
  return mistaken(
    wanted,
    addresses.values,
    'There is an A record instead of a CNAME record: remove it, or turn off the proxy of the DNS provider.',
  );
}

function mistaken(wanted: WantedRecord, found: readonly string[], why?: string): DnsCheck {
  const saw = `Saw ${enumerate(found)}, want ${wish(wanted, wanted.values)}.`;
  return { ...describe(wanted, found), ok: false, reason: why === undefined ? saw : `${why} ${saw}` };
}

function missed(wanted: WantedRecord, found: readonly string[], answer: Exclude<Answer, { kind: 'found' }>): DnsCheck {
  const reason = answer.kind === 'failed' ? answer.reason : `${answer.reason} Want ${wish(wanted, wanted.values)}.`;
  return { ...describe(wanted, found), ok: false, reason, ...(answer.kind === 'failed' ? { failed: true } : {}) };
}

function describe({ type, name, values }: WantedRecord, found: readonly string[]) {
  return { type, name, expected: [...values], found: found.slice(0, MAX_SHOWN).map(printable) };
}

function wish({ match }: WantedRecord, values: readonly string[]): string {
  return match === 'any' && values.length > 1 ? `one of ${enumerate(values)}` : enumerate(values);
}

function enumerate(values: readonly string[]): string {
  const shown = values.slice(0, MAX_SHOWN).map((value) => `"${printable(value)}"`);
  return shown.join(', ') + (values.length > MAX_SHOWN ? ` and ${values.length - MAX_SHOWN} more` : '');
}

function printable(text: string): string {
  const clean = text.replace(UNPRINTABLE, '\u{FFFD}');
  return clean.length > MAX_SHOWN_CHARACTERS ? `${clean.slice(0, MAX_SHOWN_CHARACTERS)}…` : clean;
}

/** Names compare without case and without the dot of the root. */
function canonicalName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** Addresses compare by what they mean, texts by every character. */
function canonicalValue(type: WantedRecord['type'], value: string): string {
  return type === 'AAAA' && isIPv6(value) ? new URL(`http://[${value}]`).hostname : value;
}
