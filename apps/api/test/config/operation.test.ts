import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { faultsOf, PRODUCTION } from './faults.ts';

const KEY_HEX = '8f1c6bd0a94e2735cc58f0471e9b3d62a7055bfe19c84420d3976ae1bb0c5f38';
const API_KEY = 'ship-8f1c6bd0a94e2735cc58f0471e9b3d62';

const folder = mkdtempSync(join(tmpdir(), 'berth-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a secret in a file', () => {
  const secretFile = (content: string | Buffer) => {
    const file = join(folder, `secret-${Math.random()}`);
    writeFileSync(file, content);
    return file;
  };

  it.each([
    ['SECRET_KEY', KEY_HEX, 'secretKey', Buffer.from(KEY_HEX, 'hex')],
    ['OWNER_API_KEY', API_KEY, 'ownerApiKey', API_KEY],
    ['DATABASE_URL', 'postgres://u:p@host/db', 'databaseUrl', 'postgres://u:p@host/db'],
    ['ADMIN_TOKEN', KEY_HEX, 'adminToken', KEY_HEX],
    ['SMTP_URL', 'smtps://u:p@mail.test', 'smtpUrl', 'smtps://u:p@mail.test'],
  ] as const)('api §10: %s can be read from the file that %s_FILE names', (variable, content, field, value) => {
    expect(readConfig({ [`${variable}_FILE`]: secretFile(`${content}\r\n`) })[field]).toEqual(value);
  });

  it('api §10: must be set only once', () => {
    expect(faultsOf({ SECRET_KEY: KEY_HEX, SECRET_KEY_FILE: secretFile(KEY_HEX) })).toEqual([
      'SECRET_KEY_FILE: set either SECRET_KEY or SECRET_KEY_FILE, not both.',
    ]);
  });

  it.each([
    [
      'a missing file',
      () => join(folder, 'none'),
      /^ADMIN_TOKEN_FILE: the file cannot be read \(ENOENT\); use the path/,
    ],
    ['a folder', () => folder, /^ADMIN_TOKEN_FILE: the file cannot be read \(EISDIR\)/],
    ['an empty file', () => secretFile('\n'), /^ADMIN_TOKEN_FILE: the file must contain a value/],
    ['a file of 64 KiB and one byte', () => secretFile('x'.repeat(65_537)), /^ADMIN_TOKEN_FILE: .* at most 64 KiB\.$/],
    ['a file without an end', () => '/dev/zero', /^ADMIN_TOKEN_FILE: .* at most 64 KiB\.$/],
    ['an invalid value', () => secretFile('hunter2'), /^ADMIN_TOKEN_FILE: the token must have 32 to 512/],
  ])('api §10: is named, but not shown, by the fault of %s', (_, file, message) => {
    const faults = faultsOf({ ADMIN_TOKEN_FILE: file() });
    expect(faults).toEqual([expect.stringMatching(message)]);
    expect(faults[0]).not.toContain('hunter2');
  });
});

describe('ADMIN_LISTEN', () => {
  it.each([
    ['127.0.0.1:4001', { host: '127.0.0.1', port: 4001 }],
    ['localhost:0', { host: '127.0.0.1', port: 0 }],
    ['[FD00::1]:65535', { host: 'fd00::1', port: 65_535 }],
  ])('api §12: reads %s', (text, address) => {
    expect(readConfig({ ADMIN_LISTEN: text }).adminListen).toEqual(address);
  });

  it.each(['4001', ':4001', '127.0.0.1', '127.0.0.1:', '127.0.0.1:65536', '::1:4001', '[127.0.0.1]:4001', 'host:4001'])(
    'refuses %s',
    (text) => {
      expect(faultsOf({ ADMIN_LISTEN: text })).toEqual([
        expect.stringMatching(/^ADMIN_LISTEN: ".*" is not an address with a port; use one such as "127.0.0.1:4001"/),
      ]);
    },
  );

  const PUBLIC = ['0.0.0.0:1', '[::]:1', '192.0.2.1:1', '8.8.8.8:1', '[2001:4860::1]:1', '[::ffff:8.8.8.8]:1'];
  it.each(PUBLIC)('T42: a public address needs ADMIN_TOKEN in production: %s', (text) => {
    const env = { ...PRODUCTION, ADMIN_LISTEN: text };
    expect(faultsOf(env)).toEqual([
      expect.stringMatching(/^ADMIN_LISTEN: other machines may reach .*; set ADMIN_TOKEN/),
    ]);
    expect(faultsOf({ ...env, ADMIN_TOKEN: KEY_HEX })).toEqual([]);
    expect(faultsOf({ ...env, ADMIN_TOKEN: 'short' })).toEqual([expect.stringMatching(/^ADMIN_TOKEN: /)]);
    expect(faultsOf({ ...env, NODE_ENV: 'development' })).toEqual([]);
  });

  const PRIVATE = ['127.0.0.1:1', '[::1]:1', '10.1.2.3:1', '172.16.0.1:1', '192.168.0.1:1', '169.254.0.1:1'];
  it.each([...PRIVATE, '100.64.0.1:1', '[fd12::1]:1', '[fe80::1]:1', '[::ffff:10.0.0.1]:1'])(
    'T42: a loopback or private address needs no token: %s',
    (text) => {
      expect(faultsOf({ ...PRODUCTION, ADMIN_LISTEN: text })).toEqual([]);
    },
  );
});
