import type { Publishing } from '@berth/ui/publishing';
import { NOW } from '@berth/ui/testing/samples';
import { openPage, type WatchedPage } from '@berth/testing/browser';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { DropState } from './gallery-states.ts';

declare global {
  interface Window {
    /** Shows a drop, as the worker does. */
    showDrop(publishing: Publishing): void;
    violations: string[];
  }
}

/** Opens the real drop page of a server in a state. Its worker publishes nothing and shows what the state says. */
export async function openDropState(
  browser: Browser,
  origin: string,
  { signedIn, drops = [], act }: DropState,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const watched = await openPage(browser, { viewport: { width: 1_120, height: 760 }, timezoneId: 'UTC', ...options });
  const { page } = watched;
  // The time is fixed, but timers still run.
  await page.clock.setFixedTime(NOW);
  await page.addInitScript(installFakes);
  if (signedIn !== undefined) await page.route('**/session', (route) => route.fulfill({ json: sessionOf(signedIn) }));
  await page.route('**/trpc/**', (route) => route.fulfill({ status: 503, json: {} }));
  await page.goto(origin);
  await page.getByRole('button', { name: 'Choose folder' }).waitFor();
  if (drops.length > 0) await showDrops(page, drops);
  await act?.(page);
  return watched;
}

async function showDrops(page: Page, drops: readonly Partial<Publishing>[]): Promise<void> {
  // The worker is started for the first drop.
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose files' }).click();
  await (await chooser).setFiles({ name: 'index.html', mimeType: 'text/html', buffer: Buffer.from('') });
  await page.waitForFunction(() => 'showDrop' in window);
  const sample = { kind: 'folder', leftOut: [], watchable: false, name: 'harbour-site', begun: NOW - 20_000 } as const;
  for (const [index, drop] of drops.toReversed().entries())
    await page.evaluate((shown) => window.showDrop(shown), { id: String(index), ...sample, ...drop } as Publishing);
}

function installFakes(): void {
  window.violations = [];
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    window.violations.push(`${violatedDirective} ${blockedURI}`),
  );
  class FakeWorker extends EventTarget {
    constructor() {
      super();
      window.showDrop = (publishing) =>
        void this.dispatchEvent(new MessageEvent('message', { data: { report: 'state', publishing } }));
    }
    postMessage(): void {}
  }
  Object.assign(window, { Worker: FakeWorker });
}

function sessionOf(email: string) {
  const account = { account: 'acc-1', email, name: 'Ada', role: 'owner' };
  return {
    methods: { passkey: true, password: true, code: false, oidc: null },
    signUp: false,
    refusal: null,
    signedIn: {
      session: 'ses-1',
      method: 'passkey',
      person: { id: 'per-1', email, name: 'Ada' },
      account: account.account,
      role: 'owner',
      accounts: [account],
      provenUntil: NOW / 1_000 + 600,
      hasPassword: true,
      passkeys: 1,
      identities: 0,
    },
  };
}
