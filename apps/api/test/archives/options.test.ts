import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expectError, expectRefusal } from '@berth/testing/expectations';
import { OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { type ArchiveRequest, openFilesOf, publishArchive, refuseArchive, sendArchive } from './publish-archive.ts';
import { tarOf } from '@berth/testing/tar-bytes';
import { enterPassword } from '../site-host/unlocking.ts';
import { zipOf } from '@berth/testing/zip-bytes';

const server = useServer({ clean: { secrets: ['open-sesame', 'pässwörd'] } });
const FILES = { 'index.html': 'home', 'a.txt': 'a' };
const TAR = tarOf(FILES);

describe('api §11: the options of an archive', () => {
  it('are query parameters: label, via, ttl', async () => {
    const deployment = await publishArchive(server(), TAR, {
      query: 'label=one-label&label=two-label&via=CI&ttl=3600',
    });
    expect(deployment).toMatchObject({
      labels: ['one-label', 'two-label'],
      via: 'ci',
      expires: deployment.created + 3600,
      password: false,
    });
  });

  it.each(['open-sesame', 'pässwörd'])('include a password in the header Berth-Password: %s', async (password) => {
    const { deployment } = await publishArchive(server(), TAR, {
      query: 'protected=1',
      headers: { 'Berth-Password': Buffer.from(password).toString('latin1') },
    });
    expect((await server().visit(deployment)).status).toBe(401);
    const unlocked = await enterPassword(server(), deployment, { password });
    expect(unlocked.status).toBe(303);
  });

  it('include the domain of the site, and how many of its versions to keep', async () => {
    const { key } = await server().account();
    const query = 'domain=archive.localhost&keep=1';
    const firstVersion = await publishArchive(server(), TAR, { key, query });
    const secondVersion = await publishArchive(server(), tarOf({ 'index.html': 'second' }), { key, query });
    expect(secondVersion).toMatchObject({ deleted: [firstVersion.deployment] });
    expect((await server().visit(`http://archive.localhost:${server().port}`)).text).toBe('second');
  });

  it('ignore unknown parameters', async () => {
    expect(await publishArchive(server(), TAR, { query: 'unknown=1&labels=x&checksums=x' })).toMatchObject({
      labels: [],
    });
  });

  it.each<[string, ArchiveRequest, string]>([
    ['protected=1 without a password', { query: 'protected=1' }, 'Berth-Password'],
    ['a password in the query', { query: 'password=open-sesame' }, 'Berth-Password'],
    ['an empty password', { headers: { 'Berth-Password': '' } }, '6 to 128'],
    ['a short password', { headers: { 'Berth-Password': 'short' } }, '6 to 128'],
    ['a password that is not UTF-8', { headers: { 'Berth-Password': 'p\u00e4ssword' } }, 'UTF-8'],
    ['a malformed label', { query: 'label=A' }, 'label'],
    ['a repeated ttl', { query: 'ttl=60&ttl=60' }, 'once'],
    ['a ttl that is no number', { query: 'ttl=soon' }, 'ttl'],
    ['strip=yes', { query: 'strip=yes' }, 'strip'],
    ['a repeated strip', { query: 'strip=1&strip=0' }, 'strip'],
    [
      'a Content-Encoding of zip',
      { type: 'application/zip', headers: { 'Content-Encoding': 'gzip' } },
      'Content-Encoding',
    ],
    [
      'a Content-Encoding of gzip',
      { type: 'application/gzip', headers: { 'Content-Encoding': 'gzip' } },
      'Content-Encoding',
    ],
    ['the Content-Encoding br', { headers: { 'Content-Encoding': 'br' } }, 'Content-Encoding'],
    ['two encodings', { headers: { 'Content-Encoding': 'gzip, zstd' } }, 'Content-Encoding'],
    ['an unknown type', { type: 'application/x-rar' }, 'application/x-tar'],
    ['an empty Idempotency-Key', { headers: { 'Idempotency-Key': ' ' } }, 'Idempotency-Key'],
  ])('are refused: %s', async (_, options, text) => {
    expect((await refuseArchive(server(), 'validation_failed', TAR, options)).message).toContain(text);
  });
});

describe('api §3, §11: an anonymous archive', () => {
  it('is public, expires, and can be claimed', async () => {
    const { claim, expires } = await publishArchive(server(), TAR, { key: null });
    expect([claim, expires]).toEqual([expect.stringContaining('/claim/'), expect.any(Number)]);
  });

  it.each<[string, ArchiveRequest]>([
    ['ttl', { key: null, query: 'ttl=60' }],
    ['a domain', { key: null, query: 'domain=archive.localhost' }],
    ['the Origin of another site', { key: null, headers: { Origin: 'https://evil.example' } }],
  ])('is refused with 403 for %s', async (_, options) => {
    await refuseArchive(server(), 'forbidden', TAR, options);
  });
});

describe('api §11: an archive', () => {
  it('can be sent with a deploy token', async () => {
    const { deployToken } = await server().account();
    expect(await publishArchive(server(), TAR, { key: deployToken })).toMatchObject({ files: 2 });
  });

  it('is refused with 401 for an unknown credential', async () => {
    expectError(
      await sendArchive(server(), TAR, { key: 'ship-ffffffffffffffffffffffffffffffff' }),
      'authentication_failed',
    );
  });

  it('with a used Idempotency-Key and other files is 422', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    await publishArchive(server(), TAR, { headers });
    await refuseArchive(server(), 'business_logic_error', tarOf({ 'index.html': 'other' }), { headers });
  });

  it('is refused unread if its Content-Length exceeds the plan', async () => {
    const { key } = await server().account();
    const lines = [
      'POST /deployments HTTP/1.1',
      `Host: localhost:${server().port}`,
      `Authorization: Bearer ${key}`,
      'Content-Type: application/zip',
      `Content-Length: ${200 * 1024 ** 2}`,
    ];
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(server().port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
      socket.once('data', (bytes) => {
        resolve(bytes.toString());
        socket.destroy();
      });
      socket.once('error', reject);
    });
    expect(answer).toContain('413');
  });

  it.each([
    ['tar', 'application/x-tar', TAR],
    ['gzip', 'application/gzip', gzipSync(TAR)],
    ['zip', 'application/zip', zipOf(FILES)],
  ])('whose client leaves early leaves no row, no byte and no open file: %s', async (_, type, archive) => {
    const before = openFilesOf(server());
    const lines = [
      'POST /deployments HTTP/1.1',
      `Host: localhost:${server().port}`,
      `Authorization: Bearer ${OWNER_KEY}`,
      `Content-Type: ${type}`,
      `Content-Length: ${archive.length}`,
    ];
    const requests = server().berth.core.activePacks;
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const socket = connect(server().port, '127.0.0.1', () => {
      socket.write(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), archive.subarray(0, -10)]));
    });
    socket.once('close', () => resolve());
    await expect.poll(() => requests.size).toBe(1);
    socket.destroy();
    await closed;
    await expect.poll(() => requests.size).toBe(0);
    expect(openFilesOf(server()).filter((file) => !before.includes(file))).toEqual([]);
    await expectRefusal(server(), 'validation_failed', () => sendArchive(server(), Buffer.alloc(0)));
  });
});
