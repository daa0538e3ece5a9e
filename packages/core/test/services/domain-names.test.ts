import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type NameRules,
  namesAbove,
  normaliseName,
  readDomainName,
  RESERVED_LABELS,
  SPECIAL_USE_NAMES,
} from '../../src/services/domain-names.ts';

const RULES: NameRules = {
  platformHost: 'sites.test',
  cnameTarget: 'cname.berth.dev',
  serviceHosts: new Set(['api.berth.dev', 'cname.berth.dev', 'console.sites.test']),
};
const LOCAL_RULES: NameRules = {
  platformHost: 'localhost',
  cnameTarget: 'localhost',
  serviceHosts: new Set(['localhost']),
};

const readName = (text: string) => readDomainName(text, RULES);
/** Expects that a name is refused, and returns the reason. */
function reasonOf(text: string, rules = RULES): string {
  const result = readDomainName(text, rules);
  expect(result).toMatchObject({ ok: false, reason: expect.stringMatching(/^[a-z].*[^.]$/) });
  return (result as { reason: string }).reason;
}

describe('api §4: when names are normalised by UTS-46 without a trailing dot,', () => {
  it.each([
    ['www.shop.dev', 'www.shop.dev'],
    ['WWW.Shop.DEV', 'www.shop.dev'],
    ['www.shop.dev.', 'www.shop.dev'],
    ['bücher.de', 'xn--bcher-kva.de'],
    ['BÜCHER.DE.', 'xn--bcher-kva.de'],
    ['bu\u0308cher.de', 'xn--bcher-kva.de'],
    ['xn--bcher-kva.de', 'xn--bcher-kva.de'],
    ['XN--BCHER-KVA.de', 'xn--bcher-kva.de'],
    ['straße.de', 'xn--strae-oqa.de'],
    ['ＷＷＷ．shop。dev', 'www.shop.dev'],
    ['ex\u00adample.dev', 'example.dev'],
    ['例え.テスト.jp', 'xn--r8jz45g.xn--zckzah.jp'],
    ['☃.net', 'xn--n3h.net'],
    ['1.2.3.4.shop.dev', '1.2.3.4.shop.dev'],
    ['0x7f.dev', '0x7f.dev'],
    ['r3---x.shop.dev', 'r3---x.shop.dev'],
    [`${'a'.repeat(63)}.dev`, `${'a'.repeat(63)}.dev`],
    [`${'a.'.repeat(125)}dev`, `${'a.'.repeat(125)}dev`],
  ])('%s becomes %s', (text, name) => {
    expect(normaliseName(text)).toEqual({ ok: true, name });
  });

  it('a normalised name stays the same and is of the same kind when it is normalised again', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.domain(),
      fc
        .array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), { minLength: 2, maxLength: 4 })
        .map((labels) => labels.join('.')),
      fc.string({ unit: fc.constantFrom(...'aZ09-._xn%/:@[]\\*ß。．０ü\u0308\u200d\u00ad') }),
    );
    fc.assert(
      fc.property(anyText, (text) => {
        const firstResult = normaliseName(text);
        if (!firstResult.ok) return;
        expect(firstResult.name).toMatch(/^(?=.{3,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{1,63}$/);
        expect(normaliseName(firstResult.name)).toEqual(firstResult);
        expect(normaliseName(`${firstResult.name.toUpperCase()}.`)).toEqual(firstResult);
        expect(readDomainName(firstResult.name, RULES)).toEqual(readDomainName(text, RULES));
      }),
      { numRuns: 400 },
    );
  });
});

describe('T29: of the invalid domain names,', () => {
  const refusedNames: [reason: RegExp, texts: string[]][] = [
    [/empty; use a full name/, ['']],
    [/white space/, ['shop .dev', ' shop.dev', 'shop.dev\n', 'sh\top.dev', 'shop\u0000.dev', 'shop\u00a0.dev']],
    [/scheme, port or path/, ['shop.dev/x', 'https://shop.dev', 'shop.dev:443', 'jo@shop.dev', 'shop.dev?x', '[::1]']],
    [/scheme, port or path/, ['shop.dev#x', 'a%2eb.dev', 'shop.dev\\x']],
    [/IP address/, ['192.0.2.1', '0x7f.1', '0177.0.0.1', '2130706433', '１２７.0.0.1']],
    [/not a domain name/, ['1.2.3.4.5', 'shop.09', 'shop.0x7', '.', 'shop.dev／x', '\u202eshop.dev', '\ud800.dev']],
    [/not a domain name/, ['a\u200db.dev', 'אa.dev', 'shop<b>.dev']],
    [/wildcard/, ['*.shop.dev', '＊.shop.dev']],
    [/letters, digits/, ['_acme.shop.dev', 'a＿b.dev', '-shop.dev', 'shop-.dev']],
    [/must not be empty/, ['shop..dev', '.shop.dev', 'shop.dev..']],
    [/punycode|letters, digits/, ['xn--.dev', 'xn--shop-.dev']],
    // The punycode is broken, not normalised, of a capital letter, and of a letter with a separate accent.
    [/punycode/, ['xn--a.dev', 'xn--zn7c.dev', 'xn--bcher-2pa.de', 'xn--bucher-xyd.de']],
    [/1 to 63/, [`${'a'.repeat(64)}.dev`]],
    [/at most 253/, [`${'a.'.repeat(125)}shop`, 'a'.repeat(100_000)]],
    [/two parts/, ['shop', 'localhost']],
  ];
  it.each(refusedNames.flatMap(([reason, texts]) => texts.map((text) => [text, reason] as const)))(
    '%.80j is refused with a reason that matches %s',
    (text, reason) => {
      expect(reasonOf(text)).toMatch(reason);
      expect(normaliseName(text)).toMatchObject({ ok: false, name: null });
    },
  );
});

describe('T29: of the reserved names,', () => {
  it.each([
    ['local', 'printer.local'],
    ['localhost', 'app.localhost'],
    ['internal', 'db.internal'],
    ['test', 'www.shop.test'],
    ['example', 'www.shop.example'],
    ['invalid', 'shop.invalid'],
    ['onion', 'abc.onion'],
    ['arpa', '1.0.0.127.in-addr.arpa'],
    ['arpa', 'router.home.arpa'],
  ])('those for special use under .%s are refused, such as %s', (suffix, text) => {
    expect(reasonOf(text)).toContain(`".${suffix}"`);
    expect(readName(text)).toMatchObject({ name: text });
  });

  it.each([
    ['suffix', ['CO.UK.', 'github.io', 'vercel.app', 'kobe.jp', 'c.kobe.jp', '公司.cn', 'k12.ma.us']],
    ['service itself', ['API.berth.dev.', 'cname.berth.dev', 'console.sites.test', 'sites.test', 'Sites.Test.']],
    ['CNAME target', ['to-4k9x2qd.cname.berth.dev', 'x.cname.berth.dev']],
  ])('api §4: these are refused with a reason that mentions a %s: %j', (reason, texts) => {
    for (const text of texts) expect(reasonOf(text), text).toContain(reason);
  });
});

describe('api §4: if one label of 3 to 63 characters below the platform domain is required,', () => {
  it.each([
    ['abc.sites.test', RULES],
    ['My-Site.Sites.Test.', RULES],
    ['bücher.sites.test', RULES],
    [`${'a'.repeat(63)}.sites.test`, RULES],
    ['to-4k9x2q.sites.test', RULES],
    ['calm-otter.sites.test', RULES],
    ['my-site.localhost', LOCAL_RULES],
  ])('%s is a valid platform domain', (text, rules) => {
    const result = readDomainName(text, rules);
    expect(result).toMatchObject({ ok: true, kind: 'platform', apex: false, registrable: rules.platformHost });
  });

  it.each([
    ['ab.sites.test', /at least 3/],
    [`${'a'.repeat(64)}.sites.test`, /1 to 63/],
    ['www.my-site.sites.test', /single part/],
    ['calm-otter-4k9x2qd.sites.test', /form of a deployment id/],
    ['CALM-otter-4k9x2qd.sites.test', /form of a deployment id/],
    ['to-4k9x2qd.sites.test', /reserved/],
    ...['www', 'api', 'app', 'admin', 'mail', 'WWW', 'status', 'wpad', 'autodiscover', 'postmaster'].map(
      (label): [string, RegExp] => [`${label}.sites.test`, /reserved/],
    ),
  ])('%s is not a valid platform domain', (text, reason) => {
    expect(reasonOf(text)).toMatch(reason);
  });

  it('invalid labels are refused on a development machine, too', () => {
    expect(reasonOf('www.localhost', LOCAL_RULES)).toContain('reserved');
    expect(reasonOf('to-4k9x2qd.localhost', LOCAL_RULES)).toContain('reserved');
    expect(reasonOf('a.my-site.localhost', LOCAL_RULES)).toContain('single part');
  });
});

describe('T29: any text that is accepted as a domain', () => {
  const namePart = fc.oneof(
    fc.constantFrom(
      '',
      ...'www shop api sites test berth cname dev co uk github io localhost example bücher xn--bcher-kva ß'.split(' '),
      ...'to-4k9x2qd calm-otter-4k9x2qd １２ 0x7f 1 ab - _berth'.split(' '),
    ),
    fc.string({ unit: fc.constantFrom(...'abz09-'), minLength: 1, maxLength: 10 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }),
  );
  const endings = ['', '.', '.sites.test', '.cname.berth.dev', '.dev', '.co.uk', '.localhost'];
  const anyText = ({ platformHost }: NameRules) =>
    fc
      .tuple(
        fc.array(namePart, { minLength: 1, maxLength: 4 }),
        fc.oneof(fc.constantFrom(...endings), fc.constantFrom(`.${platformHost}`, `.${platformHost.toUpperCase()}`)),
      )
      .map(([parts, end]) => parts.join('.') + end);

  it.each([
    ['a public server', RULES],
    ['the machine of a developer', LOCAL_RULES],
  ])('is a name that an account may have, on %s', (_, rules) => {
    const kinds = { platform: 0, custom: 0 };
    fc.assert(
      fc.property(anyText(rules), (text) => {
        const result = readDomainName(text, rules);
        if (!result.ok) return void expect(result.reason).not.toBe('');
        const { name, kind, apex, registrable } = result;
        kinds[kind] += 1;
        expect(normaliseName(text)).toEqual({ ok: true, name });
        expect(rules.serviceHosts.has(name) || name === rules.platformHost).toBe(false);
        if (kind === 'platform') {
          const [label, ...above] = name.split('.');
          expect([above.join('.'), apex, registrable]).toEqual([rules.platformHost, false, rules.platformHost]);
          expect(label!.length).toBeGreaterThanOrEqual(3);
          expect(RESERVED_LABELS.has(label!)).toBe(false);
          expect(label).not.toMatch(/^(?:to-[a-z0-9]{7}|[a-z]+-[a-z]+-[a-z0-9]{7})$/);
        } else {
          expect(SPECIAL_USE_NAMES).not.toContain(name.split('.').at(-1));
          expect(name.endsWith(`.${rules.cnameTarget}`)).toBe(false);
          expect(`.${name}`.endsWith(`.${registrable}`)).toBe(true);
          expect([apex, namesAbove(result).length]).toEqual([
            name === registrable,
            name.split('.').length - registrable.split('.').length,
          ]);
        }
      }),
      { numRuns: 1_500 },
    );

    expect(Math.min(kinds.platform, kinds.custom)).toBeGreaterThan(20);
  });
});

describe('outside of the platform domain,', () => {
  it.each([
    ['shop.dev', true, 'shop.dev'],
    ['www.shop.dev', false, 'shop.dev'],
    ['a.b.shop.dev', false, 'shop.dev'],
    ['shop.co.uk', true, 'shop.co.uk'],
    ['www.shop.co.uk', false, 'shop.co.uk'],
    ['jo.github.io', true, 'jo.github.io'],
    ['city.kobe.jp', true, 'city.kobe.jp'],
    ['www.食狮.公司.cn', false, 'xn--85x722f.xn--55qx5d.cn'],
    ['www.shop.unheard-of', false, 'shop.unheard-of'],
    ['berth.dev', true, 'berth.dev'],
    ['calm-otter-4k9x2qd.shop.dev', false, 'shop.dev'],
    ['www.sites.test.dev', false, 'test.dev'],
  ])('%s is a custom domain with apex = %s and the registrable domain %s', (text, apex, registrable) => {
    expect(readName(text)).toMatchObject({ ok: true, kind: 'custom', apex, registrable });
  });

  it('T28: the names above a custom domain end at its registrable domain', () => {
    expect(namesAbove({ name: 'a.b.shop.co.uk', registrable: 'shop.co.uk' })).toEqual(['b.shop.co.uk', 'shop.co.uk']);
    expect(namesAbove({ name: 'shop.co.uk', registrable: 'shop.co.uk' })).toEqual([]);
  });
});
