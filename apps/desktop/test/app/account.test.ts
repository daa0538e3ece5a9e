import { createClient } from '@berth/client';
import { expect, it } from 'vitest';
import { goTo, linkOn, publishingCard } from '../harness/app/cards.ts';
import { makeSite } from '../harness/app/folders.ts';
import { desktopSuite } from '../harness/app/suite.ts';

const { server, start } = desktopSuite();

it('an anonymous drop gets a link that expires, and no longer expires after the user signs in and claims it (desktop §8.8)', async () => {
  const { key } = await server().account();
  const { page, drop, main } = await start();
  await drop(makeSite('stray', { 'index.html': 'found' }));
  const card = publishingCard(page, 'stray');
  await card.getByText('Link copied').waitFor();
  const link = await linkOn(card);
  expect((await server().visit(link)).text).toBe('found');
  await card.getByText(/^Expires in (3 days|2 days 23 hours)/).waitFor();
  await card.getByRole('button', { name: 'Copy claim link' }).click();
  await expect.poll(() => main.fake.machine.clipboard).toMatch(/\/claim\//);

  await card.getByRole('button', { name: 'Sign in to keep it' }).click();
  const form = page.getByRole('form', { name: 'Sign in' });
  await form.getByLabel('API key').fill(key);
  await form.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText(/^Signed in as/).waitFor();
  // The sign-in was for this site, so it is claimed and shown without another click.
  await card.waitFor();
  await card.getByText('Expires in').waitFor({ state: 'detached' });
  expect(await card.getByRole('button', { name: 'Keep this site' }).count()).toBe(0);
  const { api } = createClient({ server: `http://localhost:${server().port}`, key });
  const { deployments } = await api.deployments.list.query({});
  expect(deployments.map(({ url, expires }) => [url, expires])).toEqual([[link, undefined]]);
});

it('the user can label and delete sites of the account, and new activity appears on the open Activity page (desktop §8.16)', async () => {
  const { key } = await server().account();
  const { deployment, url } = await server().publish({ 'index.html': 'here' }, { key });
  const { page } = await start({ key });
  await goTo(page, 'Sites');
  const more = page.getByRole('button', { name: `More about ${deployment}` });
  await more.click();
  await page.getByRole('menuitem', { name: 'Labels…' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('spring');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Save' }).click();
  await more.click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await more.waitFor({ state: 'detached' });
  await expect.poll(async () => (await server().visit(url)).status).toBe(404);

  await goTo(page, 'Activity');
  await page.getByText(`Deleted ${deployment}`).first().waitFor();
  await page.getByText(`Changed the labels of ${deployment} to spring`).first().waitFor();
  const foreignDeployment = await server().publish({ 'index.html': 'published by another client' }, { key });
  await page.getByText(`Published ${foreignDeployment.deployment}`).first().waitFor();
});
