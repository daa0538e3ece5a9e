import { hash } from 'node:crypto';
import { CreatedDeployment, TOKEN_ID } from '@berth/contract';
import { expectError, expectRefusal } from '@berth/testing/expectations';
import { field, file, multipart, post, withChecksums } from '@berth/testing/multipart';
import { OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';

const PASSWORDS = ['pässwörd-längst', '  padded secret  ', 'line\nbreak'];

const server = useServer({ clean: { secrets: PASSWORDS } });

const HOME = { 'index.html': 'home' };
const DAY_SECONDS = 24 * 60 * 60;
const nowSeconds = () => Math.floor(Date.now() / 1000);

describe('api §3: the response to a successful deploy', () => {
  it('of an account has neither a claim nor an expiry', async () => {
    const start = nowSeconds();
    const response = await server().deploy({ ...HOME, 'a/b.css': 'b{}', 'empty.txt': '' });
    expect(response.status).toBe(201);
    const created = CreatedDeployment.strict().parse(response.json());
    expect(created).toEqual({
      deployment: expect.stringMatching(/^[a-z]+-[a-z]+-[a-z0-9]{7}$/),
      url: `http://${created.deployment}.localhost:${server().port}`,
      files: 3,
      size: 7,
      status: 'success',
      password: false,
      via: 'api',
      by: 'api-key',
      token: expect.stringMatching(TOKEN_ID),
      labels: [],
      domains: [],
      created: expect.toSatisfy((created) => start <= created && created <= nowSeconds()),
    });
    expect(response.headers).not.toHaveProperty('idempotency-replay');
    expect(await server().visit(created.url)).toMatchObject({ status: 200, text: 'home' });
  });

  it('of an anonymous client has a claim and an expiry, and its site is not indexed', async () => {
    const response = await server().deploy(HOME, { key: null });
    const created = CreatedDeployment.strict().parse(response.json());
    expect(created.password).toBe(false);
    expect(created.expires).toBe(created.created + 3 * DAY_SECONDS);
    expect(created.claim).toMatch(new RegExp(`^http://localhost:${server().port}/claim/[0-9a-f]{32}$`));
    expect((await server().visit(created.url)).headers['x-robots-tag']).toBe('noindex');
    expectError(await server().api(`/deployments/${created.deployment}`), 'not_found');
  });

  it('describes a deployment that an API key of the account can read, but a deploy token cannot', async () => {
    const { deployToken, key } = await server().account();
    const { deployment } = await server().publish(HOME, { key: deployToken });
    expect((await server().api(`/deployments/${deployment}`, { key })).status).toBe(200);
    expectError(await server().api(`/deployments/${deployment}`, { key: deployToken }), 'forbidden');
  });

  it('contains the values of the sent fields, and the deployment keeps these values', async () => {
    const fields = { labels: ' [ "us-east-1" , "v1.2_3" ] ', via: 'a\r\nX-Evil: 1', ttl: '3600' };
    const { deployment, claim, ...created } = await server().publish(HOME, { fields });
    expect([created.labels, created.via, claim]).toEqual([['us-east-1', 'v1.2_3'], 'api', undefined]);
    expect(created.expires).toBe(created.created + 3600);
    const { labels, via, expires } = created;
    expect((await server().api(`/deployments/${deployment}`)).json()).toMatchObject({ labels, via, expires });
  });
});

describe('api §1: the field password', () => {
  it.each(PASSWORDS)('protects the site with %j, and only the hash of the password is stored', async (password) => {
    const response = await server().deploy({ 'index.html': 'MARKER' }, { fields: { password } });
    expect(response.json()).toMatchObject({ password: true });
    expect(response.text).not.toContain(JSON.stringify(password.trim()).slice(1, -1));
    expect(await server().visit(response.json<CreatedDeployment>().deployment)).toMatchObject({
      status: 401,
      text: expect.not.stringContaining('MARKER'),
    });
  });

  it('is refused if it has 60,000 characters, and the error does not repeat the password', async () => {
    const password = 'x'.repeat(60_000);
    const { details, message } = await expectRefusal(server(), 'validation_failed', () =>
      server().deploy(HOME, { fields: { password } }),
    );
    expect(details).toMatchObject({ issues: [{ path: 'password' }] });
    expect(message).not.toContain(password);
  });

  it('is refused if it is not UTF-8, because a visitor could not enter it', async () => {
    const form = multipart(
      withChecksums([file('index.html', 'home'), field('password', Buffer.from('ff'.repeat(8), 'hex'))]),
    );
    await expectRefusal(server(), 'validation_failed', () => post(server(), form));
  });
});

it('api §3: fields and files may have any order', async () => {
  const parts = [
    file('a', '1'),
    field('labels', '["one"]'),
    file('b', '2'),
    field('via', 'cli'),
    field('ttl', '60'),
    field('checksums', JSON.stringify([hash('md5', '1'), hash('md5', '2')])),
  ];
  for (let offset = 0; offset < parts.length; offset += 1) {
    const rotatedParts = [...parts.slice(offset), ...parts.slice(0, offset)];
    const checksumList = rotatedParts
      .filter(({ headers }) => headers[0]!.includes('files[]'))
      .map(({ body }) => hash('md5', body));
    const form = multipart(
      rotatedParts.map((part) =>
        part.headers[0]!.includes('checksums') ? field('checksums', JSON.stringify(checksumList)) : part,
      ),
    );
    expect((await post(server(), form, { key: OWNER_KEY })).json()).toMatchObject({
      files: 2,
      labels: ['one'],
      via: 'cli',
      expires: expect.any(Number),
    });
  }
});

it('T7: checksums detect a changed bit in files around the sizes of batches and blocks', async () => {
  const sizes = [0, 1, 55, 56, 63, 64, 65, 65_535, 65_536, 65_537, 1_048_575, 1_048_576, 1_048_577, 2_500_000];
  const files = sizes.map((size) => Buffer.alloc(size, `${size}:`));
  const parts = files.map((bytes, i) => file(`${i}.bin`, bytes));
  const checksumList = withChecksums(parts).at(-1)!;
  const response = await post(server(), multipart([...parts, checksumList]));
  expect([response.status, response.json()]).toMatchObject([201, { size: sizes.reduce((a, b) => a + b) }]);
  const { deployment } = response.json<CreatedDeployment>();
  for (const [i, bytes] of files.entries())
    expect((await server().visit(deployment, `/${i}.bin`)).bytes.equals(bytes)).toBe(true);

  for (const i of [6, 9, 12, 13]) {
    const changedParts = parts.with(i, file(`${i}.bin`, Buffer.from(files[i]!.with(files[i]!.length >> 1, 0))));
    const form = multipart([...changedParts, checksumList]);
    const { details } = await expectRefusal(server(), 'validation_failed', () => post(server(), form));
    expect(details).toMatchObject({ file: `${i}.bin`, issues: [{ path: `${i}.bin` }] });
  }
});
