import { registerAccount } from '@berth/core/operator';
import { codeIn, startMailServer, type TestMailServer } from '@berth/testing/mail-server';
import type { HttpResponse } from '@berth/testing/requests';
import { startServer, type TestServer } from '@berth/testing/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createBrowser, dataOf } from './browser.ts';

let mail: TestMailServer;
let server: TestServer;
beforeAll(async () => {
  mail = await startMailServer();
  server = await startServer({ env: { SMTP_URL: mail.url, SMTP_FROM: 'Berth <berth@example.com>' } });
  await registerAccount(server.berth.core, { email: 'ada@example.com', plan: 'free' });
});
afterAll(async () => {
  await server.close();
  await mail.close();
});

/** Returns what a response says, without what is random or the time in every response. */
function comparable({ status, headers, text }: HttpResponse) {
  const { date: _date, 'x-request-id': _id, 'set-cookie': cookies, ...others } = headers;
  return { status, others, text, cookies: [cookies ?? []].flat().map((line) => line.replace(/=[0-9a-f]{32};/, '=…;')) };
}

it('api §13: a code arrives by SMTP and signs in the browser that asked for it', async () => {
  const browser = createBrowser(server.port);
  const arriving = mail.next();
  expect((await browser.call('signIn.requestCode', { email: 'Ada@Example.com' })).status).toBe(200);
  const received = await arriving;
  const code = codeIn(received);
  expect(received).toEqual({
    to: ['ada@example.com'],
    from: 'berth@example.com',
    subject: `Your code for localhost:${server.port}: ${code}`,
    text: expect.stringContaining('within 10 minutes'),
  });
  expect((await createBrowser(server.port).call('signIn.code', { code })).status).toBe(401);
  const signedIn = await browser.call('signIn.code', { code: `${code.slice(0, 3)} ${code.slice(3)}` });
  expect(signedIn.status).toBe(200);
  expect([...browser.cookies.keys()]).toEqual([`berth-session-${server.port}`]);
  expect(dataOf(await browser.query('session.get'))).toMatchObject({
    methods: { code: true },
    signedIn: { method: 'code', person: { email: 'ada@example.com' } },
  });
  expect(JSON.stringify(server.logged)).not.toContain(code);
});

it('T45: known and unknown addresses get the same status, body and headers, for a code and for a password', async () => {
  const arriving = mail.next();
  const [known, unknown] = [createBrowser(server.port), createBrowser(server.port)];
  const asked = await known.call('signIn.requestCode', { email: 'ada@example.com' });
  const askedUnknown = await unknown.call('signIn.requestCode', { email: 'bob@example.com' });
  expect(comparable(asked)).toEqual(comparable(askedUnknown));
  expect(asked.status).toBe(200);
  await arriving;
  const code = '000000';
  const wrong = await known.call('signIn.code', { code });
  expect(comparable(wrong)).toEqual(comparable(await unknown.call('signIn.code', { code })));
  expect(wrong.status).toBe(401);
  const password = 'correct horse battery';
  const refused = await known.call('signIn.password', { email: 'ada@example.com', password });
  const refusedUnknown = await unknown.call('signIn.password', { email: 'bob@example.com', password });
  expect(comparable(refused)).toEqual(comparable(refusedUnknown));
  expect(refused.status).toBe(401);
  expect(mail.received.every(({ to }) => to[0] === 'ada@example.com')).toBe(true);
});

it('api §13: a mail server that is away changes no answer', async () => {
  const away = await startServer({ env: { SMTP_URL: 'smtp://127.0.0.1:1' } });
  try {
    await registerAccount(away.berth.core, { email: 'ada@example.com', plan: 'free' });
    const response = await createBrowser(away.port).call('signIn.requestCode', { email: 'ada@example.com' });
    expect(response.status).toBe(200);
    await expect.poll(() => away.logged.map(({ message }) => message)).toContain('A sign-in code was not sent');
    expect(JSON.stringify(away.logged)).not.toContain('ada@example.com');
  } finally {
    await away.close();
  }
});
