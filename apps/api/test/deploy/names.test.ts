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

/** Expects details that name one file. */
function expectOneFile(details: unknown): void {
  const file = expect.stringMatching(/./);
  expect(details).toEqual({ file, issues: [{ path: file, message: expect.stringMatching(/./) }] });
}

describe('T1: a hostile file name', () => {
  it.each([['../x'], [String.raw`a\..\..\x`], ['a%00b'], [String.raw`a\"b`], ['a\tb'], ['x'.repeat(5000)]])(
    'is refused, never repaired: %.30j',
    async (name) => {
      const { details } = await expectRefusal(server(), 'validation_failed', () =>
        deploy(file('index.html', 'home'), file(name, 'x')),
      );
      expectOneFile(details);
    },
  );

  it.each([
    ['a lone surrogate', 'eda080'],
    ['a byte that is not UTF-8', 'ff'],
    ['an overlong slash', 'c0af'],
    ['a sequence cut short', 'e282'],
  ])('is refused if it contains %s', async (_, hex) => {
    const form = multipart(withChecksums([file('index.html', 'home'), file('aMARKb', 'x')]));
    const markIndex = form.body.indexOf('MARK');
    const body = Buffer.concat([
      form.body.subarray(0, markIndex),
      Buffer.from(hex, 'hex'),
      form.body.subarray(markIndex + 4),
    ]);
    const { message } = await expectRefusal(server(), 'validation_failed', () => post(server(), { ...form, body }));
    expect(message).toContain('UTF-8');
  });

  it.each([['\u0000'], ['\u0001'], ['\u007f'], ['\n'], ['\r']])(
    'is refused if it contains a raw %j',
    async (control) => {
      await expectRefusal(server(), 'validation_failed', () =>
        deploy(file('index.html', 'home'), file(`a${control}b`, 'x')),
      );
    },
  );
});

it('api §3: two junk files may have the same name, but an invalid junk name is refused', async () => {
  const home = file('index.html', 'home');
  const response = await deploy(home, file('.DS_Store', '1'), file('.DS_Store', '2'));
  expect([response.status, response.json()]).toMatchObject([201, { files: 1, size: 4 }]);
  await expectRefusal(server(), 'validation_failed', () => deploy(home, file('../.DS_Store', '1')));
});

describe('api §3: several refused files', () => {
  const refused = (count: number) => Array.from({ length: count }, (_, at) => file(`${at}.exe`, 'x'));

  it('are named in one answer after the whole body has arrived: 50 of them, and the number of the others', async () => {
    const { message, details } = await expectRefusal(server(), 'validation_failed', () =>
      deploy(file('index.html', 'home'), ...refused(70), file('large.bin', Buffer.alloc(3_000_000)), file('../x', 'x')),
    );
    const reason = 'programs and installers (.exe) are never published';
    expect(message).toBe(`0.exe: ${reason} (and 70 more files, 21 of them not listed)`);
    const issues = Array.from({ length: 50 }, (_, at) => ({ path: `${at}.exe`, message: reason }));
    expect(details).toEqual({ file: '0.exe', issues });
  });

  it('S1: are named in an answer of at most 16 KiB, however long their names are', async () => {
    const names = Array.from({ length: 60 }, (_, at) => `${`${'é'.repeat(125)}/`.repeat(4)}${at}.exe`);
    let answer = '';
    await expectRefusal(server(), 'validation_failed', async () => {
      const response = await deploy(...names.map((name) => file(name, 'x')));
      answer = response.text;
      return response;
    });
    expect(Buffer.byteLength(answer)).toBeLessThanOrEqual(16 * 1024);
    expect(Buffer.byteLength(answer)).toBeGreaterThan(10 * 1024);
  });
});

describe('F4: filename* takes precedence over filename', () => {
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
  ])('and is refused if its decoded name is invalid: %s', async (parameters) => {
    const { details } = await expectRefusal(server(), 'validation_failed', () => deploy(rawFile(parameters, 'x')));
    expectOneFile(details);
  });

  it.each([
    [`filename="a.txt"; filename*=UTF-8''b%20%C3%A9.txt`, 'b é.txt'],
    [`filename*=utf-8'en'b%20%C3%A9.txt; filename="a.txt"`, 'b é.txt'],
    [`filename="a.txt"; filename*=ISO-8859-1''%E9.txt`, 'é.txt'],
    [`filename="a.txt"; filename*=utf-16le''%e9%00.%00t%00`, 'é.t'],
    [`filename="a.txt"; filename="b.txt"`, 'a.txt'],
    [`FileName=a.txt`, 'a.txt'],
  ])('and %s is served as %s', async (parameters, path) => {
    const response = await deploy(rawFile(parameters, 'bytes'), file('z.txt', 'z'));
    const { deployment } = response.json<{ deployment: string }>();
    await expectServed(deployment, urlOf(path), 'bytes');
    if (path !== 'a.txt') expect((await server().visit(deployment, '/a.txt')).status).toBe(404);
  });
});
