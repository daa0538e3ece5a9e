import { describeInBrowser } from '@berth/testing/browser';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openWithAuthenticator, type PageWithAuthenticator } from './authenticator.ts';
import { useConsole } from './built-console.ts';

describeInBrowser('api §13: a passkey', (browser) => {
  const served = useConsole();

  async function openConsole(): Promise<PageWithAuthenticator> {
    const opened = await openWithAuthenticator(browser());
    await opened.page.goto(served.origin());
    return opened;
  }

  it('is made after a one-time link, signs in after signing out, and not without a PIN or a finger', async () => {
    const { page, device, authenticatorId } = await openConsole();
    const secret = (await served.server().berth.openLink(true))!.split('=').at(-1)!;
    expect((await call(page, 'signIn.useLink', { secret })).status).toBe(200);
    expect((await addPasskey(page)).status).toBe(200);
    expect(await served.server().berth.openLink(true)).toBeNull();

    await call(page, 'session.end');
    expect((await call(page, 'sessions.deleteOthers')).status).toBe(401);
    expect((await usePasskey(page)).status).toBe(200);
    expect((await call(page, 'sessions.deleteOthers')).status).toBe(200);

    await call(page, 'session.end');
    await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    expect(await usePasskey(page).catch(() => null)).toBeNull();
    await page.context().close();
  });

  it('that was copied with its counter does not sign in', async () => {
    const { page, device, authenticatorId } = await openConsole();
    await served.server().database.query('delete from passkey');
    const secret = (await served.server().berth.openLink(true))!.split('=').at(-1)!;
    await call(page, 'signIn.useLink', { secret });
    await addPasskey(page);
    const { credentials } = await device.send('WebAuthn.getCredentials', { authenticatorId });
    for (let uses = 0; uses < 2; uses += 1) expect((await usePasskey(page)).status).toBe(200);
    await device.send('WebAuthn.clearCredentials', { authenticatorId });
    await device.send('WebAuthn.addCredential', { authenticatorId, credential: credentials[0]! });
    expect((await usePasskey(page)).status).toBe(401);
    await page.context().close();
  });
});

interface Outcome {
  status: number;
  text: string;
}

/** Calls a procedure from a page of the console. */
function call(page: Page, procedure: string, input: object = {}): Promise<Outcome> {
  return page.evaluate(
    async ([name, body]) => {
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch(`/trpc/${name}`, { method: 'POST', headers, body });
      return { status: response.status, text: await response.text() };
    },
    [procedure, JSON.stringify(input)] as const,
  );
}

async function optionsOf(page: Page, procedure: string): Promise<string> {
  const { text } = await call(page, procedure);
  return JSON.stringify((JSON.parse(text) as { result: { data: { options: object } } }).result.data.options);
}

async function addPasskey(page: Page): Promise<Outcome> {
  const response = await page.evaluate(
    async (options) => {
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(options));
      return ((await navigator.credentials.create({ publicKey })) as PublicKeyCredential).toJSON() as unknown;
    },
    await optionsOf(page, 'passkeys.begin'),
  );
  return call(page, 'passkeys.create', { name: 'Laptop', response });
}

async function usePasskey(page: Page): Promise<Outcome> {
  const response = await page.evaluate(
    async (options) => {
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(options));
      return ((await navigator.credentials.get({ publicKey })) as PublicKeyCredential).toJSON() as unknown;
    },
    await optionsOf(page, 'signIn.beginPasskey'),
  );
  return call(page, 'signIn.passkey', { response });
}
