import { hash } from 'node:crypto';
import { CreatedDeployment } from '@berth/contract';
import { expectErrorAnswer, expectRefusal } from '@berth/testing/expectations';
import { field, file, multipart, post, withChecksums } from '@berth/testing/multipart';
import { OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';

const PASSWORDS = [
  'correct horse',
  'pässwörd-längst',
  '  padded secret  ',
  'short1',
  '🔑🔑🔑🔑🔑🔑',
  'x'.repeat(128),
  'line\nbreak',
  '"quoted"\\',
];

const server = useServer({ clean: { secrets: PASSWORDS } });

const HOME = { 'index.html': 'home' };
const DAY = 24 * 60 * 60;
const now = () => Math.floor(Date.now() / 1000);

describe('api §3: the 201 of a deploy', () => {
  it('of an account has no claim and no expiry', async () => {
    const start = now();
    const answer = await server().deploy({ ...HOME, 'a/b.css': 'b{}', 'empty.txt': '' });
    expect(answer.status).toBe(201);
    const created = CreatedDeployment.strict().parse(answer.json());
    expect(created).toEqual({
      deployment: expect.stringMatching(/^[a-z]+-[a-z]+-[a-z0-9]{7}$/),
      url: `http://${created.deployment}.localhost:${server().port}`,
      files: 3,
      size: 7,
      status: 'success',
      password: false,
      via: 'api',
      labels: [],
      created: expect.toSatisfy((created) => start <= created && created <= now()),
    });
    expect(answer.headers).not.toHaveProperty('idempotency-replay');
    expect(await server().visit(created.url)).toMatchObject({ status: 200, text: 'home' });
  });

  it('of an anonymous client has both, follows the Free plan, and is not indexed', async () => {
    const answer = await server().deploy(HOME, { key: null });
    const created = CreatedDeployment.strict().parse(answer.json());
    expect(created.password).toBe(false);
    expect(created.expires).toBe(created.created + 3 * DAY);
    expect(created.claim).toMatch(new RegExp(`^http://localhost:${server().port}/claim/[0-9a-f]{32}$`));
    expect((await server().visit(created.url)).headers['x-robots-tag']).toBe('noindex');
    expectErrorAnswer(await server().api(`/deployments/${created.deployment}`), 'not_found');
  });

  it('is the same with a deploy token', async () => {
    const { deployToken, key } = await server().account();
    const { deployment } = await server().publish(HOME, { key: deployToken });
    expect((await server().api(`/deployments/${deployment}`, { key })).status).toBe(200);
    expectErrorAnswer(await server().api(`/deployments/${deployment}`, { key: deployToken }), 'forbidden');
  });
});

describe('api §1: the field labels', () => {
  it.each([
    ['["one","two"]', ['one', 'two']],
    ['["two","one","two"]', ['two', 'one']],
    ['[]', []],
    [' [ "us-east-1" , "v1.2_3" ] ', ['us-east-1', 'v1.2_3']],
    [JSON.stringify(['abc', 'x'.repeat(25)]), ['abc', 'x'.repeat(25)]],
    [
      JSON.stringify(Array.from({ length: 10 }, (_, i) => `label${i}`)),
      Array.from({ length: 10 }, (_, i) => `label${i}`),
    ],
  ])('%s', async (labels, stored) => {
    const { deployment, ...created } = await server().publish(HOME, { fields: { labels } });
    expect(created.labels).toEqual(stored);
    expect((await server().api(`/deployments/${deployment}`)).json()).toMatchObject({ labels: stored });
  });

  it.each([
    [''],
    ['{"0":"one"}'],
    ['null'],
    ['[1]'],
    ['[null]'],
    ['[["one"]]'],
    ['["a b"]'],
    ['["-one"]'],
    ['["one-"]'],
    ['["a--b"]'],
    ['["öne"]'],
    ['["one\\n"]'],
    ['["one\\u0000"]'],
    ['["a\\r\\nSet-Cookie: x"]'],
    [JSON.stringify(['x'.repeat(26)])],
    [JSON.stringify(Array.from({ length: 11 }, (_, i) => `label${i}`))],
    [JSON.stringify(Array(101).fill('one'))],
  ])('%s is 400', async (labels) => {
    const { details } = await expectRefusal(server(), 'validation_failed', () =>
      server().deploy(HOME, { fields: { labels } }),
    );
    expect(details).toMatchObject({ issues: [{ path: expect.stringMatching(/^labels/) }] });
  });
});

describe('api §1: the field password', () => {
  it.each(PASSWORDS.map((password) => [password]))(
    '%j protects the site, and only its hash is stored',
    async (password) => {
      const answer = await server().deploy({ 'index.html': 'MARKER' }, { fields: { password } });
      expect(answer.json()).toMatchObject({ password: true });
      expect(answer.text).not.toContain(JSON.stringify(password.trim()).slice(1, -1));
      const { deployment } = answer.json<CreatedDeployment>();
      const [row] = await server().database.query<{ hash: string }>(
        'select password_hash as hash from deployment where id = $1',
        [deployment],
      );
      expect(row!.hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
      expect(await server().visit(deployment)).toMatchObject({
        status: 401,
        text: expect.not.stringContaining('MARKER'),
      });
    },
  );

  it('gets a different hash each time', async () => {
    for (const name of ['a', 'b']) await server().publish({ [name]: name }, { fields: { password: PASSWORDS[0]! } });
    const rows = await server().database.query(`select password_hash from deployment where password_hash is not null`);
    expect(new Set(rows.map((row) => row['password_hash'])).size).toBe(rows.length);
  });

  it.each([
    [''],
    ['12345'],
    ['     12345     '],
    ['🔑🔑🔑🔑🔑'],
    ['x'.repeat(129)],
    ['\n\t      '],
    ['x'.repeat(60_000)],
  ])('is 400 as %.20j', async (password) => {
    const { details, message } = await expectRefusal(server(), 'validation_failed', () =>
      server().deploy(HOME, { fields: { password } }),
    );
    expect(details).toMatchObject({ issues: [{ path: 'password' }] });
    if (password.trim() !== '') expect(message).not.toContain(password.trim());
  });

  it('is 400 if it is not UTF-8, since it could not be entered', async () => {
    const form = multipart(
      withChecksums([file('index.html', 'home'), field('password', Buffer.from('ff'.repeat(8), 'hex'))]),
    );
    await expectRefusal(server(), 'validation_failed', () => post(server(), form));
  });
});

describe('api §1: the field via is never an error', () => {
  it.each([
    ['cli', 'cli'],
    ['SDK', 'sdk'],
    ['my-tool_1.2', 'my-tool_1.2'],
    ['x'.repeat(32), 'x'.repeat(32)],
    ['x'.repeat(33), 'api'],
    ['', 'api'],
    ['a b', 'api'],
    ['<script>', 'api'],
    ['ñ', 'api'],
    ['a\r\nX-Evil: 1', 'api'],
    ['\u0000', 'api'],
  ])('%j becomes %s', async (via, stored) => {
    expect(await server().publish(HOME, { fields: { via } })).toMatchObject({ via: stored });
  });
});

describe('api §3: the field ttl', () => {
  it.each([
    ['1', 1],
    ['3600', 3600],
    [String(365 * DAY), 365 * DAY],
  ])('accepts %s seconds', async (ttl, seconds) => {
    const { created, expires, deployment, ...rest } = await server().publish(HOME, { fields: { ttl } });
    expect(expires).toBe(created + seconds);
    expect(rest).not.toHaveProperty('claim');
    if (seconds > 1) expect((await server().api(`/deployments/${deployment}`)).json()).toMatchObject({ expires });
  });

  it('ends the site and its record exactly at its end', async () => {
    const { deployment } = await server().publish(HOME, { fields: { ttl: '1' } });
    await expect.poll(async () => (await server().visit(deployment)).status, { interval: 20 }).toBe(404);
    expectErrorAnswer(await server().api(`/deployments/${deployment}`), 'not_found');
    expectErrorAnswer(await server().api(`/deployments/${deployment}`, { method: 'DELETE' }), 'not_found');
  });

  it.each([
    ['-1'],
    ['01'],
    ['+1'],
    ['1 '],
    ['one'],
    ['Infinity'],
    [String(365 * DAY + 1)],
    ['99999999999999999999'],
    ['null'],
  ])('is 400 as %j', async (ttl) => {
    const { details } = await expectRefusal(server(), 'validation_failed', () =>
      server().deploy(HOME, { fields: { ttl } }),
    );
    expect(details).toMatchObject({ issues: [{ path: 'ttl' }] });
  });

  it('is 403 without a credential', async () => {
    for (const ttl of ['60', 'nonsense']) {
      const body = await expectRefusal(server(), 'forbidden', () =>
        server().deploy(HOME, { key: null, fields: { ttl } }),
      );
      expect(body).not.toHaveProperty('details');
    }
  });
});

it('api §3: fields and files come in any order', async () => {
  const parts = [
    file('a', '1'),
    field('labels', '["one"]'),
    file('b', '2'),
    field('via', 'cli'),
    field('ttl', '60'),
    field('checksums', JSON.stringify([hash('md5', '1'), hash('md5', '2')])),
  ];
  for (let turn = 0; turn < parts.length; turn += 1) {
    const turned = [...parts.slice(turn), ...parts.slice(0, turn)];
    const list = turned.filter(({ headers }) => headers[0]!.includes('files[]')).map(({ body }) => hash('md5', body));
    const form = multipart(
      turned.map((part) => (part.headers[0]!.includes('checksums') ? field('checksums', JSON.stringify(list)) : part)),
    );
    expect((await post(server(), form, { key: OWNER_KEY })).json()).toMatchObject({
      files: 2,
      labels: ['one'],
      via: 'cli',
      expires: expect.any(Number),
    });
  }
});
