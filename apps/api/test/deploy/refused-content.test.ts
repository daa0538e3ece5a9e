import { BLOCKED_EXTENSIONS, type CreatedDeployment } from '@berth/contract';
import { expectErrorAnswer, expectRefusal, footprintOf } from '@berth/testing/expectations';
import { file, multipart, type Part, post, withChecksums } from '@berth/testing/multipart';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';

const server = useServer({ clean: true });

const HOME = file('index.html', 'home');
const KEY = '-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----\n';
const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const deploy = (...parts: Part[]) => post(server(), multipart(withChecksums(parts)));
const created = async (...parts: Part[]): Promise<CreatedDeployment> => {
  const answer = await deploy(...parts);
  expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  return answer.json<CreatedDeployment>();
};

describe('api §3: forbidden content is refused, and the message names it', () => {
  it.each([
    ['setup.exe'],
    ['setup.exe '],
    ['.git/config'],
    ['.env'],
    ['node_modules/a/index.js'],
    ['id_rsa'],
    ['server.pem'],
    ['a/SERVER.KEY'],
  ])('%s', async (name) => {
    for (const parts of [
      [HOME, file(name, KEY)],
      [file(name, KEY), HOME],
    ]) {
      const { details } = await expectRefusal(server(), 'validation_failed', () => deploy(...parts));
      expect(details).toEqual({ file: name });
    }
  });

  it('each of the blockedExtensions in GET /limits', async () => {
    const { blockedExtensions } = (await server().api('/limits')).json<{ blockedExtensions: string[] }>();
    expect(blockedExtensions).toEqual([...BLOCKED_EXTENSIONS]);
    const before = await footprintOf(server());
    for (const extension of blockedExtensions)
      expectErrorAnswer(await deploy(HOME, file(`a.${extension}`, 'x')), 'validation_failed');
    expect(await footprintOf(server())).toEqual(before);
  });

  it('a private key anywhere in a large file, also across the border of two pieces', async () => {
    const before = Buffer.alloc(200_000, 'text\n');
    for (const shift of [0, 1, 7, 13, 64])
      await expectRefusal(server(), 'validation_failed', () =>
        deploy(
          HOME,
          file('bundle.pem', Buffer.concat([before, Buffer.alloc(65_536 - 20 - shift), Buffer.from(KEY), before])),
        ),
      );
  });

  it.each([
    ['a.exe.html', 'x'],
    ['a.exec', 'x'],
    ['vendor/node_modules/a.js', 'x'],
    ['git/config', 'x'],
    ['environment', 'x'],
    ['server.pem', CERTIFICATE],
    ['notes-on-keys.txt', KEY],
  ])('%s is published', async (name, bytes) => {
    const { deployment } = await created(HOME, file(name, bytes));
    expect(await server().visit(deployment, `/${name}`)).toMatchObject({ status: 200, text: bytes });
  });
});

describe('api §3: junk', () => {
  it('is silently dropped, not counted and not served', async () => {
    const names = [
      '.DS_Store',
      'a/.DS_Store',
      'Thumbs.db',
      'a/b/desktop.ini',
      '__MACOSX/._index.html',
      '__MACOSX/a/evil.exe',
      'a/__MACOSX/.env',
    ];
    const { deployment, files, size, warnings } = await created(HOME, ...names.map((name) => file(name, 'junk')));
    expect({ files, size, warnings }).toEqual({ files: 1, size: 4, warnings: undefined });
    for (const name of names) expect((await server().visit(deployment, `/${name}`)).status).toBe(404);
  });

  it('without other files is not a valid deploy', async () => {
    await expectRefusal(server(), 'validation_failed', () => deploy(file('.DS_Store', 'junk')));
  });

  it('twice is not a conflict, but its name must be valid', async () => {
    expect(await created(HOME, file('.DS_Store', '1'), file('.DS_Store', '2'))).toMatchObject({ files: 1 });
    await expectRefusal(server(), 'validation_failed', () => deploy(HOME, file('../.DS_Store', '1')));
  });
});

describe('api §3: warnings', () => {
  it('dot files are stored and counted with a warning, and not served, except under .well-known/', async () => {
    const hidden = ['.htaccess', 'a/.hidden/x.txt', '.wellknown/x'];
    const open = ['.well-known/security.txt', '.well-known/.x'];
    const { deployment, files, warnings } = await created(
      HOME,
      ...[...hidden, ...open].map((name) => file(name, 'dot')),
    );
    expect([files, warnings?.map((warning) => warning.file)]).toEqual([6, hidden]);
    for (const name of hidden) expect((await server().visit(deployment, `/${name}`)).status).toBe(404);
    expect(await server().visit(deployment, '/.well-known/security.txt')).toMatchObject({ status: 200, text: 'dot' });
  });

  it('names that differ only by case cause a warning, and each is served', async () => {
    const { deployment, files, warnings } = await created(
      file('index.html', 'lower'),
      file('INDEX.html', 'upper'),
      file('a/B', '1'),
      file('A/b', '2'),
    );
    expect([files, warnings]).toEqual([
      4,
      [
        { file: 'INDEX.html', message: expect.stringContaining('index.html') },
        { file: 'A/b', message: expect.stringContaining('a/B') },
      ],
    ]);
    for (const [path, text] of Object.entries({
      '/index.html': 'lower',
      '/INDEX.html': 'upper',
      '/a/B': '1',
      '/A/b': '2',
    }))
      expect(await server().visit(deployment, path)).toMatchObject({ status: 200, text });
  });

  it('S65: there are at most 100, and one more that counts the rest', async () => {
    const { warnings } = await created(HOME, ...Array.from({ length: 150 }, (_, i) => file(`.${i}`, 'x')));
    expect(warnings).toHaveLength(101);
    expect(warnings!.at(-1)!.message).toContain('50');
  });

  it('the key is absent when there are none', async () => {
    expect(await created(HOME)).not.toHaveProperty('warnings');
  });
});

describe('S23: ship.json', () => {
  it.each<[string, string | Buffer]>([
    ['text that is not JSON', '{cleanUrls: true}'],
    ['JSON with a comment', '{} // x'],
    ['a second value after the object', '{}{}'],
    ['bytes that are not UTF-8', Buffer.from('7b2261223a22ff227d', 'hex')],
    ['UTF-16', Buffer.from('{}', 'utf16le')],
    ['100,000 brackets', '['.repeat(100_000)],
    ['nested 60,000 deep', '{"a":'.repeat(40_000) + '1' + '}'.repeat(40_000)],
    ['larger than 256 KiB', `{"a":"${'x'.repeat(256 * 1024)}"}`],
  ])('%s is 400', async (_, bytes) => {
    const { details } = await expectRefusal(server(), 'validation_failed', () =>
      deploy(HOME, file('ship.json', bytes)),
    );
    expect(details).toEqual({ file: 'ship.json' });
  });

  it.each<[string, string[]]>([
    ['{}', []],
    [' {"cleanUrls": true, "x": {"y": [1]}} ', ['x']],
    [`{"a":"${'x'.repeat(256 * 1024 - 8)}"}`, ['a']],
    ['{"a":'.repeat(8) + '1' + '}'.repeat(8), ['a']],
    ['{"__proto__":{"a":1}}', ['__proto__']],
    ['\ufeff{"cleanUrls": 1}', ['cleanUrls']],
  ])('%.40s is stored with a warning for each key without effect, and not served', async (bytes, keys) => {
    const { deployment, files, warnings = [] } = await created(HOME, file('ship.json', bytes));
    expect(files).toBe(2);
    expect(warnings).toEqual(keys.map((at) => ({ file: 'ship.json', at, message: expect.stringMatching(/./) })));
    expect((await server().visit(deployment, '/ship.json')).status).toBe(404);
  });

  it('in a folder it is an ordinary file', async () => {
    const { deployment, warnings } = await created(HOME, file('a/ship.json', 'no json'));
    expect(warnings).toBeUndefined();
    expect(await server().visit(deployment, '/a/ship.json')).toMatchObject({ status: 200, text: 'no json' });
  });
});
