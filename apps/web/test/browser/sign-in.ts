import { createOwnerLink } from '@berth/core';
import type { TestServer } from '@berth/testing/server';
import type { Page } from 'playwright-core';

/** Signs the owner of a server in, on a page of its console, and loads the page again. */
export async function signIn(page: Page, { berth }: TestServer): Promise<void> {
  const secret = new URL(await createOwnerLink(berth.core)).hash.slice('#first='.length);
  await page.evaluate(async (secret) => {
    const headers = { 'Content-Type': 'application/json', 'X-Berth-Console': '1' };
    const body = JSON.stringify({ secret });
    await fetch('/trpc/signIn.useLink', { method: 'POST', headers, body });
  }, secret);
  await page.reload();
  await page.getByRole('button', { name: 'Domain, password, labels' }).waitFor();
}
