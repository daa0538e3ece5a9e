import { readFrontPages, sweep } from '@berth/core/jobs';
import { describeInBrowser, openPage } from '@berth/testing/browser';
import { OWNER_KEY } from '@berth/testing/requests';
import type { Page } from 'playwright-core';
import { it } from 'vitest';
import { useConsole } from './built-console.ts';

const OWNER = 'owner@localhost';
const SITE = { 'index.html': '<title>Spring fair</title>' };

describeInBrowser('the sites of an account, while they change elsewhere,', (browser) => {
  const console = useConsole();
  const publish = () => console.server().publish(SITE);
  const request = (method: string, path: string, json?: object) =>
    console.server().api(path, { method, key: OWNER_KEY, ...(json && { json }) });

  async function open(path: string): Promise<Page> {
    const { page } = await openPage(browser());
    await page.goto(await console.server().signInLink(OWNER));
    await page.getByRole('button', { name: `Sign in as ${OWNER}` }).click();
    await page.getByRole('heading', { level: 1, name: 'Set up sign-in' }).waitFor();
    await page.goto(console.origin() + path);
    return page;
  }

  it('show the title of a front page once it was read, without a reload of the page', async () => {
    const page = await open('/app/sites');
    const { deployment } = await publish();
    const row = page.getByRole('listitem').filter({ hasText: deployment });
    await row.waitFor();
    const sitePage = await page.context().newPage();
    await sitePage.goto(`${console.origin()}/app/sites/${deployment}`);
    await sitePage.getByRole('heading', { level: 1, name: deployment }).waitFor();
    await readFrontPages(console.server().berth.core);
    await row.getByText('Spring fair').waitFor();
    await sitePage.getByRole('heading', { level: 1, name: 'Spring fair' }).waitFor();
  });

  it('are being deleted until they are gone, in the list and on the open page', async () => {
    const { deployment } = await publish();
    const page = await open('/app/sites');
    const row = page.getByRole('listitem').filter({ hasText: deployment });
    await row.getByText('Live', { exact: true }).waitFor();
    const sitePage = await page.context().newPage();
    await sitePage.goto(`${console.origin()}/app/sites/${deployment}`);
    await sitePage.getByRole('button', { name: 'Delete site…' }).waitFor();
    await request('DELETE', `/sites/${deployment}`);
    await row.getByText('Being deleted').waitFor();
    await sitePage.getByText('Being deleted').first().waitFor();
    await sweep(console.server().berth.core);
    await row.waitFor({ state: 'detached' });
    await sitePage.getByRole('heading', { name: 'This site was deleted' }).waitFor();
  });

  it('are deleted with their domain and all its versions, at once', async () => {
    const { deployment } = await publish();
    const domain = 'fair.localhost';
    await request('PUT', `/domains/${domain}`, { deployment });
    const sitePage = await open(`/app/sites/${domain}`);
    await sitePage.getByRole('button', { name: 'Delete site…' }).waitFor();
    await request('DELETE', `/sites/${domain}`);
    await sitePage.getByRole('heading', { name: 'This site was deleted' }).waitFor();
  });
});
