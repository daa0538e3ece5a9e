import { expectRefusal } from '@berth/testing/expectations';
import { file, multipart, type Part, post, rawFile, withChecksums } from '@berth/testing/multipart';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';

const server = useServer({ clean: true });

const deploy = (...parts: Part[]) => post(server(), multipart(withChecksums(parts)));
const urlOf = (path: string) => `/${path.split('/').map(encodeURIComponent).join('/')}`;

async function expectServed(deployment: string, path: string, bytes: string): Promise<void> {
  const { status, text } = await server().visit(deployment, path);
  expect({ path, status, text }).toEqual({ path, status: 200, text: bytes });
}

describe('T1: a hostile name is refused, never repaired', () => {
  it.each([
    ['..'],
    ['../x'],
    ['.../../x'],
    ['//etc/x'],
    ['a/'],
    [String.raw`..\x`],
    [String.raw`a\..\..\x`],
    [String.raw`C:\x`],
    ['C:x'],
    [String.raw`\\server\share`],
    ['a%00b'],
    ['%2e%2e/x'],
    ['a%'],
    ['a?b'],
    [String.raw`a\"b`],
    ['a\tb'],
    ['a\u202eb'],
    ['\ufeffa'],
    ['s'.repeat(256)],
    ['0123456789/'.repeat(93) + 'ab'],
    ['x'.repeat(5000)],
  ])('%.30j', async (name) => {
    const { details } = await expectRefusal(server(), 'validation_failed', () =>
      deploy(file('index.html', 'home'), file(name, 'x')),
    );
    expect(details).toEqual({ file: expect.stringMatching(/./) });
  });

  it.each([
    ['a lone surrogate', 'eda080'],
    ['a byte that is not UTF-8', 'ff'],
    ['an overlong slash', 'c0af'],
    ['a sequence cut short', 'e282'],
  ])('%s', async (_, hex) => {
    const form = multipart(withChecksums([file('index.html', 'home'), file('aMARKb', 'x')]));
    const at = form.body.indexOf('MARK');
    const body = Buffer.concat([form.body.subarray(0, at), Buffer.from(hex, 'hex'), form.body.subarray(at + 4)]);
    const { message } = await expectRefusal(server(), 'validation_failed', () => post(server(), { ...form, body }));
    expect(message).toContain('UTF-8');
  });

  it.each([['\u0000'], ['\u0001'], ['\u007f'], ['\n'], ['\r']])('a raw %j in the header of a part', async (control) => {
    await expectRefusal(server(), 'validation_failed', () =>
      deploy(file('index.html', 'home'), file(`a${control}b`, 'x')),
    );
  });
});

it('T1: names that only some file systems reject are valid, and each is served', async () => {
  const names = [
    'CON',
    'aux.txt',
    'ab:c.txt',
    'a|b.txt',
    'a*b.txt',
    'final-space ',
    'final-dot.',
    'a b.txt',
    "it's.txt",
    '[x]{y}(z).txt',
    "a+b&c=d;e,f@g!h$i~j^k`l'.txt",
    'häfen/⚓.txt',
    '港/船.txt',
    '👩‍👩‍👧.txt',
    's'.repeat(255),
    `${'é'.repeat(127)}s`,
    `deep/${'0123456789abcde/'.repeat(62)}abcdefg`,
    'a/b/c/d/e/f/g/h.txt',
    '__proto__',
    'constructor/prototype',
    'hasOwnProperty',
    '12',
    'index.html.html',
    '-rf',
    '$(id).txt',
    "'; drop table deployment; --.txt",
  ];
  const answer = await deploy(...names.map((name) => file(name, `bytes of ${name}`)));
  expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  expect(answer.json()).toMatchObject({ files: names.length });
  for (const name of names)
    await expectServed(answer.json<{ deployment: string }>().deployment, urlOf(name), `bytes of ${name}`);
});

it.each([
  ['/a.txt', 'a.txt'],
  ['./a.txt', 'a.txt'],
  ['/etc/passwd', 'etc/passwd'],
])('T1: one leading slash or dot slash is not part of the name: %s', async (name, path) => {
  const answer = await deploy(file(name, 'bytes'));
  expect(answer.status).toBe(201);
  await expectServed(answer.json<{ deployment: string }>().deployment, urlOf(path), 'bytes');
});

describe('T2: two names of one file, or a file that is also a folder, are refused', () => {
  const NFC = 'caf\u00e9.txt';
  const NFD = 'cafe\u0301.txt';
  const pairs: [string, string, string][] = [
    ['the same name twice', 'a.txt', 'a.txt'],
    ['composed and decomposed', NFC, NFD],
    ['with a leading slash', '/a.txt', 'a.txt'],
    ['with a leading dot slash', './a.txt', 'a.txt'],
    ['with both', '/a.txt', './a.txt'],
    ['a file and a file in it', 'a', 'a/b'],
    ['a file and a file deep in it', 'a', 'a/b/c/d'],
    ['a decomposed file and a file in it', 'e\u0301', '\u00e9/b'],
  ];
  const bothOrders = pairs.flatMap(([title, one, other]): [string, string, string][] => [
    [title, one, other],
    [`${title}, the other way round`, other, one],
  ]);
  it.each(bothOrders)('%s', async (_, one, other) => {
    const { message, details } = await expectRefusal(server(), 'validation_failed', () =>
      deploy(file('index.html', 'home'), file(one, 'one'), file(other, 'other')),
    );
    const canonical = (name: string) => name.replace(/^\.?\//, '').normalize('NFC');
    expect(message).toContain(canonical(one));
    expect(message).toContain(canonical(other));
    expect([canonical(one), canonical(other)]).toContain(details!['file']);
  });

  it.each([
    ['decomposed', NFD],
    ['composed', NFC],
  ])('a name that was sent %s is found in either form', async (_, name) => {
    const answer = await deploy(file(name, 'coffee'));
    const { deployment } = answer.json<{ deployment: string }>();
    for (const requestedName of [NFC, NFD]) await expectServed(deployment, urlOf(requestedName), 'coffee');
  });
});

describe('F4: filename* takes precedence, and is checked after decoding', () => {
  it.each([
    [`filename="good.txt"; filename*=UTF-8''..%2Fevil.txt`],
    [`filename*=UTF-8''..%2Fevil.txt; filename="good.txt"`],
    [`filename="good.txt"; filename*=UTF-8''a%00b.txt`],
    [`filename="good.txt"; filename*=UTF-8''a%0d%0aX-Evil%3A%201`],
    [`filename="good.txt"; filename*=UTF-8''%E2%80%AEtxt.exe`],
    [`filename="good.txt"; filename*=UTF-8''a%5Cb`],
    [`filename="good.txt"; filename*=UTF-8''%2F%2Fetc`],
    [`filename="good.txt"; filename*=UTF-8''%252e%252e`],
    [`filename="good.txt"; filename*=UTF-8''%FF`],
    [`filename="good.txt"; filename*=utf-16le''%2e%00%2e%00%2f%00x%00`],
    [`filename="good.txt"; filename*=ISO-8859-1''a%85b`],
  ])('%s is refused', async (parameters) => {
    const { details } = await expectRefusal(server(), 'validation_failed', () => deploy(rawFile(parameters, 'x')));
    expect(details).toEqual({ file: expect.stringMatching(/./) });
  });

  it.each([
    [`filename="a.txt"; filename*=UTF-8''b%20%C3%A9.txt`, 'b é.txt'],
    [`filename*=utf-8'en'b%20%C3%A9.txt; filename="a.txt"`, 'b é.txt'],
    [`filename="a.txt"; filename*=ISO-8859-1''%E9.txt`, 'é.txt'],
    [`filename="a.txt"; filename*=utf-16le''%e9%00.%00t%00`, 'é.t'],
    [`filename="a.txt"; filename="b.txt"`, 'a.txt'],
    [`FileName=a.txt`, 'a.txt'],
  ])('%s is served as %s', async (parameters, path) => {
    const answer = await deploy(rawFile(parameters, 'bytes'), file('z.txt', 'z'));
    const { deployment } = answer.json<{ deployment: string }>();
    await expectServed(deployment, urlOf(path), 'bytes');
    if (path !== 'a.txt') expect((await server().visit(deployment, '/a.txt')).status).toBe(404);
  });
});
