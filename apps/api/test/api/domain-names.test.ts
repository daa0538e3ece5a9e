import { DeletedDomain, Domain, DomainValidation } from '@berth/contract';
import { expectRefusal } from '@berth/testing/expectations';
import type { Answer } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';

const server = useServer({ env: { CNAME_TARGET: 'cname.berth.dev', APEX_ADDRESSES: '192.0.2.10' }, clean: true });
let key: string;
let site: string;
beforeAll(async () => {
  ({ key } = await server().account('team'));
  site = (await server().publish({ 'index.html': 'home' }, { key })).deployment;
});

const send = (method: string, path: string, body?: unknown) =>
  server().api(path, {
    method,
    key,
    ...(body === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
const put = (name: string, body: unknown = {}) => send('PUT', `/domains/${name}`, body);

function read<T>(answer: Answer, status: number, schema: { strict(): { parse(value: unknown): T } }): T {
  expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(/^\{/)]);
  return schema.strict().parse(answer.json());
}

describe('api §4: spellings of one name', () => {
  it.each([
    ['shop-spelled.localhost', ['SHOP-Spelled.LocalHost', 'shop-spelled.localhost.', 'shop%2Dspelled%2Elocalhost']],
    [
      'xn--bcher-kva.localhost',
      ['b%C3%BCcher.localhost', 'B%C3%9CCHER.localhost', 'bu%CC%88cher.localhost', 'XN--BCHER-KVA.localhost'],
    ],
    ['www.xn--strae-oqa.de', ['www.stra%C3%9Fe.de', 'WWW%EF%BC%8Estra%C3%9Fe%E3%80%82de', 'www.xn--strae-oqa.de.']],
  ])('%s', async (name, spellings) => {
    expect(read(await put(spellings[0]!), 201, Domain).domain).toBe(name);
    for (const spelling of [name, ...spellings]) {
      expect(read(await send('GET', `/domains/${spelling}`), 200, Domain).domain).toBe(name);
      expect(read(await put(spelling), 200, Domain).domain).toBe(name);
      expect(read(await send('POST', `/domains/${spelling}/validate`), 200, DomainValidation).normalized).toBe(name);
    }
    expect(read(await send('DELETE', `/domains/${spellings.at(-1)!}`), 200, DeletedDomain).domain).toBe(name);
  });
});

/** Names in the path of a request, and what the error must say. */
const NO_DOMAINS: [string, RegExp][] = [
  ['shop', /two parts/],
  ['validate', /two parts/],
  ['API.localhost', /reserved/],
  ['mail.localhost.', /reserved/],
  ['calm-otter-4k9x2qd.localhost', /form of a deployment id/],
  ['to-4k9x2qd.cname.berth.dev', /CNAME target/],
  ['github.io', /suffix/],
  ['%5B::1%5D', /scheme, port or path/],
  ['*.shop.dev', /wildcard/],
  ['shop.dev%2Fx', /scheme, port or path/],
  ['shop.dev:443', /scheme, port or path/],
  ['a%252eb.dev', /scheme, port or path/],
  ['shop.dev%00', /white space/],
  ['shop%20.dev', /white space/],
  ['shop%0d%0aX-Evil:1.dev', /white space/],
  [`${'a.'.repeat(1_000)}dev`, /at most 253/],
  ['%3Cscript%3E.dev', /not a domain name/],
  ["'; drop table domain; --.dev", /white space/],
];

describe('T29: an invalid domain name is 400 for PUT, and a result for validate', () => {
  it.each(NO_DOMAINS)('%s', async (path, reason) => {
    const encoded = path.replaceAll(/[' ;]/g, encodeURIComponent).replaceAll(' ', '%20');
    const body = await expectRefusal(server(), 'validation_failed', () => put(encoded, { deployment: site }));
    expect(body).toMatchObject({
      message: expect.stringMatching(reason),
      details: { issues: [{ path: 'domain', message: expect.stringMatching(reason) }] },
    });
    const answer = { valid: false, available: false, reason: expect.stringMatching(reason) };
    const validation = read(await send('POST', `/domains/${encoded}/validate`), 200, DomainValidation);
    expect(validation).toMatchObject(answer);
    const text = decodeURIComponent(encoded);
    expect(read(await send('POST', '/domains/validate', { domain: text }), 200, DomainValidation)).toEqual(validation);
  });

  it.each(['', ' ', '\u0000', '\ud800.dev', '\u202edev.shop', 'a'.repeat(60_000)])(
    'only in the body: %j',
    async (domain) => {
      expect(read(await send('POST', '/domains/validate', { domain }), 200, DomainValidation)).toMatchObject({
        valid: false,
        normalized: null,
      });
    },
  );

  it.each([
    ['no name', {}],
    ['null', { domain: null }],
    ['a number', { domain: 1 }],
    ['a list', { domain: ['shop.dev'] }],
    ['an object', { domain: { $ne: null } }],
  ])('a body with %s is 400', async (_, body) => {
    await expectRefusal(server(), 'validation_failed', () => send('POST', '/domains/validate', body));
  });
});
