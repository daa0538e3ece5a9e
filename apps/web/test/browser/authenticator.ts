import { openPage } from '@berth/testing/browser';
import type { Browser, CDPSession, Page } from 'playwright-core';

/** A page in a browser of its own with an authenticator, such as the fingerprint reader of a laptop. */
export interface PageWithAuthenticator {
  page: Page;
  /** Controls the authenticator. */
  device: CDPSession;
  authenticatorId: string;
}

/** Opens a page with an authenticator that confirms every passkey until a test changes that. */
export async function openWithAuthenticator(browser: Browser): Promise<PageWithAuthenticator> {
  const { page } = await openPage(browser);
  const device = await page.context().newCDPSession(page);
  await device.send('WebAuthn.enable');
  const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { page, device, authenticatorId };
}
