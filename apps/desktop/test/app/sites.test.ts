import { expect, it, vi } from 'vitest';
import { createClient } from '@berth/client';
import { goTo } from '../harness/app/cards.ts';
import { desktopSuite } from '../harness/app/suite.ts';

const suite = desktopSuite();

it('all deployments of the account are listed, wherever they were published, and found by name, domain and label (issue: sites)', async () => {
  const { key } = await suite.server.account();
  const { api } = createClient({ server: suite.address, key });
  const [first, second, third] = [
    await suite.server.publish({ 'index.html': '1' }, { key }),
    await suite.server.publish({ 'index.html': '2' }, { key }),
    await suite.server.publish({ 'index.html': '3' }, { key }),
  ];
  await api.deployments.update.mutate({ deployment: second.deployment, labels: ['winter'] });
  const domain = `named-site.${new URL(third.url).hostname.slice(third.deployment.length + 1)}`;
  await api.domains.put.mutate({ domain, deployment: third.deployment });

  const { page } = await suite.start({ key });
  await goTo(page, 'Sites');
  const rows = page.getByRole('list', { name: 'Sites' }).getByRole('listitem');
  await expect.poll(() => rows.count()).toBe(3);
  const search = page.getByLabel('Search by name, domain or label');
  for (const [query, found] of [
    [first.deployment.slice(0, -2), first],
    ['winter', second],
    ['named-site', third],
  ] as const) {
    await search.fill(query);
    await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining(found.deployment)]);
  }
  await search.fill('nothing like it');
  await page.getByText('Nothing found').waitFor();
});

it('labels of a site can be changed; deleting it needs confirmation and removes it from the server (issue: sites)', async () => {
  const { key } = await suite.server.account();
  const { deployment, url } = await suite.server.publish({ 'index.html': 'here' }, { key });
  const { page } = await suite.start({ key });
  await goTo(page, 'Sites');
  const more = page.getByRole('button', { name: `More about ${deployment}` });
  await more.click();
  await page.getByRole('menuitem', { name: 'Labels…' }).click();
  await page.getByLabel(`Labels of ${deployment}`).fill('spring');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Save' }).click();
  await more.waitFor();
  const { api } = createClient({ server: suite.address, key });
  expect((await api.deployments.get.query({ deployment })).labels).toEqual(['spring']);

  await more.click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect((await suite.server.visit(url)).text).toBe('here');
  await more.click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await more.waitFor({ state: 'detached' });
  await vi.waitFor(async () => expect((await suite.server.visit(url)).status).toBe(404), 10_000);
});

it('a custom domain shows its DNS records, which can be copied, and what is missing (issue: domains)', async () => {
  const { key } = await suite.server.account('pro');
  const { deployment } = await suite.server.publish({ 'index.html': 'here' }, { key });
  const { page, main } = await suite.start({ key });
  await goTo(page, 'Domains');
  await page.getByRole('button', { name: 'Add a domain…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a domain' });
  await dialog.getByLabel('Domain').fill('www.berth-desktop-test.com');
  await dialog.getByLabel('Points to (optional)').fill(deployment);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  const records = page.getByRole('region', { name: 'DNS records of www.berth-desktop-test.com' });
  await records.getByRole('table').waitFor();
  const { records: wanted } = await createClient({ server: suite.address, key }).api.domains.records.query({
    domain: 'www.berth-desktop-test.com',
  });
  expect(wanted.length).toBeGreaterThan(0);
  for (const { type, name, value } of wanted) {
    await records.getByText(type, { exact: true }).first().waitFor();
    await records
      .getByRole('button', { name: `Copy name ${name}` })
      .first()
      .click();
    await expect.poll(() => main.fake.machine.clipboard).toBe(name);
    await records
      .getByRole('button', { name: `Copy value ${value}` })
      .first()
      .click();
    await expect.poll(() => main.fake.machine.clipboard).toBe(value);
  }
});

it('activity of the account appears on the open page without a reload (issue: activity live)', async () => {
  const { key } = await suite.server.account();
  const { page } = await suite.start({ key });
  await goTo(page, 'Activity');
  const rows = page.getByRole('listitem').filter({ has: page.locator('time') });
  await page.getByText('No activity yet').or(rows.first()).waitFor();
  // Published from another machine.
  const { deployment } = await suite.server.publish({ 'index.html': 'new' }, { key });
  await page.getByText(`Published ${deployment}`).first().waitFor();
  await suite.server.api(`/deployments/${deployment}`, { method: 'DELETE', key });
  await page.getByText(`Deleted ${deployment}`).first().waitFor();
});
