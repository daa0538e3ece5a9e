import { type Fault, type Records, startDnsServer } from '@berth/testing/dns-server';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WantedRecord } from '../../src/dns/checks.ts';
import { createDns, type Dns } from '../../src/dns/dns.ts';

const TARGET = 'to-abc1234.cname.test';
const PROOF = 'berth-proof-abc';
const cname: WantedRecord = { type: 'CNAME', name: 'www.example.com', values: [TARGET] };
const txt: WantedRecord = { type: 'TXT', name: '_berth.example.com', values: [PROOF] };
const aRecord: WantedRecord = { type: 'A', name: 'example.com', values: ['192.0.2.10', '192.0.2.11'] };
const aaaa: WantedRecord = { type: 'AAAA', name: 'example.com', values: ['2001:db8::10'] };

const server = await startDnsServer();
// The DNS server runs in this process, which may be busy, so these timeouts are long.
const dns = createDns({ servers: [server.address], timeoutMs: 60_000, deadlineMs: 90_000 });
/** Times out quickly, for tests in which the DNS server does not respond. */
const shortTimeout = createDns({ servers: [server.address], timeoutMs: 60, deadlineMs: 150 });
beforeEach(() => {
  server.zone.clear();
  server.asked.length = 0;
});
afterAll(() => server.close());

/** Runs checks and advances fake timers to the deadline as soon as `until` resolves. */
async function atDeadline<T>(
  check: (slow: Dns) => Promise<T>,
  until: () => Promise<void> = async () => {},
): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const checkedRecords = check(createDns({ servers: [server.address], timeoutMs: 60_000, deadlineMs: 5_000 }));
    await until();
    vi.advanceTimersByTime(5_000);
    return await checkedRecords;
  } finally {
    vi.useRealTimers();
  }
}

type Zone = Record<string, Records | Fault>;

const EDGE_ZONE: Zone = { 'edge.test': { CNAME: TARGET } };
const CNAME_LOOP: Zone = { 'b.test': { CNAME: 'c.test' }, 'c.test': { CNAME: 'b.test' } };
const LONG_VALUE = 'v'.repeat(300);

const setRecords = (records: Zone) => {
  for (const [name, entry] of Object.entries(records)) server.zone.set(name, entry);
};
const checkOne = async (wanted: WantedRecord, asked = dns) => (await asked.check([wanted]))[0]!;

describe('api §4: a check of DNS records', () => {
  it.each<[string, WantedRecord, Records, string[], Zone?]>([
    ['a CNAME record', cname, { CNAME: TARGET }, [TARGET]],
    ['the target of a CNAME record in another case', cname, { CNAME: TARGET.toUpperCase() }, [TARGET]],
    ['a chain of CNAME records', cname, { CNAME: 'Edge.test' }, ['edge.test', TARGET], EDGE_ZONE],
    ['a TXT record', txt, { TXT: [PROOF] }, [PROOF]],
    ['a TXT record among others', txt, { TXT: ['x', PROOF, 'y'] }, ['x', PROOF, 'y']],
    ['one of two addresses', aRecord, { A: ['192.0.2.11'] }, ['192.0.2.11']],
    [
      'the wanted address and an unrelated address',
      aRecord,
      { A: ['192.0.2.10', '10.0.0.1'] },
      ['192.0.2.10', '10.0.0.1'],
    ],
    [
      'an IPv6 address in another notation',
      { ...aaaa, values: ['2001:DB8:0:0::10'] },
      { AAAA: ['2001:db8::10'] },
      ['2001:db8::10'],
    ],
    [
      'a text in several pieces',
      { ...txt, values: [LONG_VALUE] },
      { TXT: [LONG_VALUE] },
      [`${LONG_VALUE.slice(0, 255)}…`],
    ],
  ])('passes if the DNS has %s', async (_, wanted, record, found, others = {}) => {
    setRecords({ [wanted.name]: record, ...others });
    const check = await checkOne(wanted);
    expect({ ...check, found: check.found.toSorted() }).toEqual({
      type: wanted.type,
      name: wanted.name,
      expected: wanted.values,
      found: found.toSorted(),
      ok: true,
    });
  });

  it('checks several records at once and returns the results in the order of the records', async () => {
    setRecords({ 'example.com': { A: ['192.0.2.10'] }, '_berth.example.com': { TXT: [PROOF] } });
    const checks = await dns.check([aRecord, aaaa, txt]);
    expect(checks.map(({ type, ok }) => [type, ok])).toEqual([
      ['A', true],
      ['AAAA', false],
      ['TXT', true],
    ]);
  });
});

describe('T30: a check of DNS records', () => {
  const cnameChain = Object.fromEntries(
    Array.from({ length: 8 }, (_, index) => [
      index === 0 ? 'www.example.com' : `hop${index}.test`,
      { CNAME: index === 7 ? TARGET : `hop${index + 1}.test` },
    ]),
  );
  it.each<[string, WantedRecord, Records | null, RegExp, number, Zone?]>([
    ['a missing name', cname, null, /^There is no such name\. Want "to-abc1234\.cname\.test"\.$/, 0],
    ['a missing name of a TXT record', txt, null, /^There is no such name\./, 0],
    ['a name without a record of the type', txt, { A: ['192.0.2.1'] }, /^There is no TXT record at this/, 0],
    ['a name without a CNAME record', cname, { TXT: ['x'] }, /^There is no CNAME record at this/, 0],
    [
      'addresses instead of a CNAME record',
      cname,
      { A: ['104.16.0.1'] },
      /^There is an A record instead of a CNAME record\. .*proxy.* Saw "104\.16\.0\.1", want "to-abc1234/,
      1,
    ],
    ['another target', cname, { CNAME: 'to-zzz9.test' }, /^Saw "to-zzz9\.test", want "to-abc1234/, 1],
    ['another text', txt, { TXT: ['x', 'y'] }, /^Saw "[xy]", "[xy]", want "berth-proof-abc"\.$/, 2],
    ['a text in another case', txt, { TXT: [PROOF.toUpperCase()] }, /^Saw "BERTH-PROOF-ABC", want/, 1],
    [
      'a private address',
      aRecord,
      { A: ['127.0.0.1'] },
      /^Saw "127\.0\.0\.1", want one of "192\.0\.2\.10", "192\.0\.2\.11"\.$/,
      1,
    ],
    [
      'CNAME records in a loop',
      cname,
      { CNAME: 'b.test' },
      /loop\. Saw "b\.test", "c\.test", "b\.test", want/,
      3,
      CNAME_LOOP,
    ],
    ['a CNAME record to itself', cname, { CNAME: 'www.example.com' }, /form a loop/, 1],
    ['a chain that is too long', cname, null, /^The name goes through more than 5 CNAME records\./, 5, cnameChain],
    ['a target that is not a valid name', cname, { CNAME: 'a b.test' }, /^Saw "a.* b\.test", want/, 1],
    [
      '1,000 TXT records',
      txt,
      { TXT: Array.from({ length: 1000 }, (_, index) => `text-${index}`) },
      /^Saw "text-\d+", .* and 40 more, want .* 950 more records were not read/,
      10,
    ],
    [
      'a response of almost 64 KB',
      txt,
      { TXT: Array.from({ length: 30 }, () => 'x'.repeat(2000)) },
      /^Saw "x{255}…", .* 22 more records were not read/,
      8,
    ],
    [
      'control characters',
      txt,
      { TXT: ['a\0b\r\nc\u001b[31m'] },
      /^Saw "a\u{FFFD}b\u{FFFD}\u{FFFD}c\u{FFFD}\[31m", want/u,
      1,
    ],
    ['a name with a NUL', { ...txt, name: 'a\0b.test' }, null, /^This is not a valid DNS name\./, 0],
    ['a name beyond ASCII', { ...txt, name: 'bücher.test' }, null, /^This is not a valid DNS name\./, 0],
  ])('fails, with a reason, because of %s', async (_, wanted, record, reason, found, others = {}) => {
    setRecords({ ...(record && { [wanted.name]: record }), ...others });
    const check = await checkOne(wanted);
    expect(check).toMatchObject({ ok: false, reason: expect.stringMatching(reason), found: { length: found } });
    expect(check.failed).toBeUndefined();
  });

  it('sends at most five queries for a chain of CNAME records, and no query for an invalid name', async () => {
    setRecords(cnameChain);
    await checkOne(cname);
    expect(server.asked).toHaveLength(5);
    server.asked.length = 0;
    await checkOne({ ...txt, name: 'a\0b.test' });
    expect(server.asked).toEqual([]);
  });
});

describe('T30: a DNS check whose query gets no answer', () => {
  it.each<[string, Fault, () => Dns, RegExp]>([
    ['SERVFAIL', 'SERVFAIL', () => dns, /\(SERVFAIL\)/],
    ['REFUSED', 'REFUSED', () => dns, /\(REFUSED\)/],
    ['a timeout', 'silence', () => shortTimeout, /did not answer in time/],
    ['a response with the wrong id', 'wrong id', () => shortTimeout, /did not answer in time/],
  ])('is reported as failed after %s', async (_, fault, asked, reason) => {
    setRecords({ 'www.example.com': fault, '_berth.example.com': fault });
    const failure = { ok: false, failed: true, found: [], reason: expect.stringMatching(reason) };
    for (const wantedRecord of [cname, txt]) expect(await checkOne(wantedRecord, asked())).toMatchObject(failure);
  });

  it('is reported as failed if only the second query of a chain of CNAME records gets no answer', async () => {
    setRecords({ 'www.example.com': { CNAME: 'b.test' }, 'b.test': 'silence' });
    const bothAsked = () => expect.poll(() => server.asked).toHaveLength(2);
    const checkedRecord = await atDeadline((slow) => checkOne(cname, slow), bothAsked);
    expect(checkedRecord).toMatchObject({ ok: false, failed: true, found: ['b.test'] });
  });

  it('is reported as failed if the connection to the DNS server is refused', async () => {
    const refusingDns = createDns({ servers: ['127.0.0.1:1'], timeoutMs: 60, deadlineMs: 300 });
    expect(await checkOne(txt, refusingDns)).toMatchObject({
      ok: false,
      failed: true,
      reason: expect.stringMatching(/DNS server/),
    });
  });

  it('sends its query twice, and finishes at the deadline however many records are wanted', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `silent${index}.test`);
    setRecords(Object.fromEntries([...names, 'twice.test'].map((name) => [name, 'silence' as const])));
    const checks = await atDeadline((slow) => slow.check(names.map((name) => ({ ...txt, name }))));
    expect(checks.every(({ failed }) => failed)).toBe(true);
    const twoTryDns = createDns({ servers: [server.address], timeoutMs: 60, deadlineMs: 90_000 });
    await twoTryDns.check([{ ...txt, name: 'twice.test' }]);
    // The server may read the last query after the check has ended.
    await expect
      .poll(() => server.asked.filter((question) => question.includes('twice')))
      .toEqual(['TXT twice.test', 'TXT twice.test']);
  });
});

describe('api §4: the DNS provider of a domain', () => {
  it('is found by the NS records of the registrable domain, and is cached', async () => {
    setRecords({ 'example.com': { NS: ['amy.ns.cloudflare.com', 'bob.ns.cloudflare.com'] } });
    expect(await dns.provider('example.com')).toEqual({ name: 'Cloudflare' });
    expect(await dns.provider('example.com')).toEqual({ name: 'Cloudflare' });
    expect(server.asked).toEqual(['NS example.com']);
  });

  it.each<[string, Records | Fault]>([
    ['unknown name servers', { NS: ['ns1.example.net'] }],
    ['no name servers', { A: ['192.0.2.1'] }],
    ['no response', 'silence'],
  ])('is null if the query for NS records gets %s', async (title, entry) => {
    const name = `${title.replaceAll(' ', '-')}.test`;
    setRecords({ [name]: entry });
    expect(await shortTimeout.provider(name)).toBeNull();
  });
});
