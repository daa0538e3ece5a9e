import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';

const folder = mkdtempSync(join(tmpdir(), 'berth-sign-in-'));
afterAll(() => rmSync(folder, { recursive: true }));

const OIDC = { OIDC_ISSUER: 'https://id.test/realm', OIDC_CLIENT_ID: 'berth', OIDC_CLIENT_SECRET: 'secret' };

describe('api §10: the ways to sign in', () => {
  it('are read from the environment, and the secret of the client from a file', () => {
    const OIDC_CLIENT_SECRET_FILE = join(folder, 'secret');
    writeFileSync(OIDC_CLIENT_SECRET_FILE, 'from a file\n');
    const { OIDC_CLIENT_SECRET: _, ...others } = OIDC;
    const env = { ...others, OIDC_CLIENT_SECRET_FILE, SMTP_URL: 'smtp://mail.test:2525', SIGN_UP: 'on' };
    expect(readConfig({ ...env, SMTP_FROM: 'berth@mail.test', OIDC_NAME: 'Acme ID' })).toMatchObject({
      smtpUrl: 'smtp://mail.test:2525',
      smtpFrom: 'berth@mail.test',
      oidc: { issuer: 'https://id.test/realm', clientId: 'berth', clientSecret: 'from a file', name: 'Acme ID' },
      signUp: true,
    });
    expect(readConfig({ ...OIDC, BASE_URL: 'https://berth.test', PLATFORM_DOMAIN: 'sites.test' })).toMatchObject({
      smtpFrom: 'Berth <berth@berth.test>',
      oidc: { name: 'id.test' },
      signUp: false,
    });
  });

  it.each<[string, Record<string, string>, RegExp]>([
    [
      'a mail server without a scheme',
      { SMTP_URL: 'mail.test' },
      /^SMTP_URL: the value must be the URL of a mail server/,
    ],
    ['a web address as a mail server', { SMTP_URL: 'https://mail.test' }, /^SMTP_URL: /],
    ['a sender without an address', { SMTP_FROM: 'Berth' }, /^SMTP_FROM: "Berth" is not a sender/],
    ['a sender with another header', { SMTP_FROM: 'a@b.test\nBcc: c@d.test' }, /^SMTP_FROM: /],
    [
      'an issuer on plain http',
      { ...OIDC, OIDC_ISSUER: 'http://id.test' },
      /^OIDC_ISSUER: the issuer must be an https URL/,
    ],
    ['an issuer with a query', { ...OIDC, OIDC_ISSUER: 'https://id.test/?a' }, /^OIDC_ISSUER: /],
    ['a name of 41 characters', { ...OIDC, OIDC_NAME: 'x'.repeat(41) }, /^OIDC_NAME: the name must have at most 40/],
    ['a provider without a client', { OIDC_ISSUER: OIDC.OIDC_ISSUER }, /^OIDC_CLIENT_ID: .* must be set together/],
    ['a secret without a provider', { OIDC_CLIENT_SECRET: 'secret' }, /^OIDC_ISSUER: .* must be set together/],
    ['sign-up without a way to sign up', { SIGN_UP: 'on' }, /^SIGN_UP: people sign up with a code by e-mail or/],
  ])('refuse %s', (_, env, fault) => {
    expect(() => readConfig(env)).toThrow(fault);
  });

  it('never appear in the message of a fault', () => {
    expect(() => readConfig({ SMTP_URL: 'ftp://user:hunter2@mail.test' })).toThrow(/^(?!.*hunter2)/s);
  });
});
