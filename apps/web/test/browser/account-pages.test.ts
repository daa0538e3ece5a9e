import { describeInBrowser } from '@berth/testing/browser';
import { buildOnce } from '@berth/testing/builds';
import { MIXED_SITES, VERSIONS } from '@berth/ui/testing/samples';
import { eventually } from '@berth/ui/testing/page';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { buildGallery, type Gallery, openGallery } from '../gallery/gallery.ts';
import { stateNamed } from '../gallery/states.ts';

const DOMAIN = 'www.harbour.example';

describeInBrowser('the account pages of the console', (browser) => {
  let gallery: Gallery;
  beforeAll(async () => {
    gallery = openGallery(browser(), await buildOnce('console-gallery', buildGallery));
  });

  it('a roll back shows an earlier version at the domain, and can be undone', async () => {
    const { page, sent, answer } = await gallery.show(stateNamed('site-roll-back'));
    answer('domains.put', { value: {} });
    await page.getByRole('button', { name: 'Roll back', exact: true }).click();
    await eventually(() => Promise.resolve(sent('domains.put'))).toEqual([
      { domain: DOMAIN, deployment: VERSIONS[1]!.deployment },
    ]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(() => Promise.resolve(sent('domains.put').at(-1))).toEqual({
      domain: DOMAIN,
      deployment: VERSIONS[0]!.deployment,
    });
  });

  it('deletes a site with one request, and says why it could not be deleted', async () => {
    const { page, sent, answer } = await gallery.show(stateNamed('site-delete'));
    answer('sites.delete', { error: { status: 503, error: 'unavailable', message: 'The server is busy.' } });
    answer('sites.list', { value: { sites: [] } });
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByText('The server is busy.').waitFor();
    answer('sites.delete', { value: { site: DOMAIN, deployments: [] } });
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { name: 'Sites', exact: true }).waitFor();
    expect(sent('sites.delete')).toEqual([{ site: DOMAIN }, { site: DOMAIN }]);
  });

  it('deletes selected sites one by one, and says why one of them could not be deleted', async () => {
    const { page, answer } = await gallery.show(stateNamed('sites-delete-many'));
    answer('sites.delete', { error: { status: 503, error: 'unavailable', message: 'The server is busy.' } });
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByText('The server is busy.').waitFor();
    expect(await page.getByRole('link', { name: 'Handbook', exact: true }).count()).toBe(1);
    answer('sites.delete', { value: { site: DOMAIN, deployments: [] } });
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('2 sites deleted.').waitFor();
    await page.getByRole('link', { name: 'Handbook', exact: true }).waitFor({ state: 'detached' });
  });

  it('searches all sites on the server, not only the loaded ones', async () => {
    const { page, sent } = await gallery.show(stateNamed('sites-list'));
    await page.getByRole('link', { name: 'Handbook', exact: true }).waitFor();
    await page.getByRole('searchbox').fill('tide');
    await eventually(() => Promise.resolve(sent('sites.list').at(-1))).toMatchObject({ search: 'tide' });
    const searches = sent('sites.list').map((input) => (input as { search?: string }).search);
    expect(searches.filter((text) => text !== undefined)).toEqual(['tide']);
  });

  it('sets and removes the password of a site without a new deploy', async () => {
    const { page, sent, answer } = await gallery.show(stateNamed('site-password'));
    answer('deployments.update', { value: {} });
    await page.getByLabel('Password', { exact: true }).fill('tides and boats');
    await page.getByRole('dialog').getByRole('button', { name: 'Change', exact: true }).click();
    await page.getByText('Password set.').waitFor();
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByRole('button', { name: 'Remove the password' }).click();
    await page.getByText('Password removed.').waitFor();
    expect(sent('deployments.update').map((input) => (input as { password: unknown }).password)).toEqual([
      'tides and boats',
      null,
    ]);
  });

  it('a switch of a domain can be undone', async () => {
    const { page, sent, answer } = await gallery.show(stateNamed('domain-show-another'));
    answer('domains.put', { value: {} });
    await page.getByRole('dialog').getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(() => Promise.resolve(sent('domains.put').length)).toBe(2);
    expect(sent('domains.put').at(-1)).toEqual({ domain: 'harbour.example', deployment: MIXED_SITES[0]!.deployment });
  });

  it('security T20: shows the secret of a token once, and keeps it nowhere', async () => {
    const { page, sent } = await gallery.show(stateNamed('tokens-made'));
    const secret = 'deploy-0f9a31c4d77e42b59c1de0a8b5f3c6e2';
    await page.getByText(secret).waitFor();
    expect(sent('tokens.create')).toEqual([{ kind: 'deploy' }]);
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(secret);
    expect(await storedTexts(page)).not.toContain(secret);
  });

  it('limits a deploy token to domains', async () => {
    const { page, sent, answer } = await gallery.show(stateNamed('tokens-make'));
    answer('tokens.create', { error: { status: 403, error: 'forbidden', message: 'Not allowed.' } });
    await page.getByLabel('Domains (optional)').fill('www.harbour.example, tickets.harbour.example');
    await page.getByLabel('Expires').selectOption({ label: 'In 90 days' });
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Not allowed.').waitFor();
    const domains = ['www.harbour.example', 'tickets.harbour.example'];
    expect(sent('tokens.create')).toEqual([{ kind: 'deploy', ttl: 7_776_000, domains }]);
  });
});

/** Returns everything that the page has stored in the browser. */
function storedTexts(page: Page): Promise<string> {
  return page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
}
