import { createClient } from '@berth/client';
import { expect, it } from 'vitest';
import { approveSignIn } from '../backend/approve-sign-in.ts';
import { linkOn, publishingCard } from '../harness/app/cards.ts';
import { desktopSuite } from '../harness/app/suite.ts';

const { server, start } = desktopSuite();

it('the first run ends with a link within a minute, and the site is claimed by the sign-in that follows (desktop §8.8)', async () => {
  const began = performance.now();
  const { page, ask, main, state } = await start({ firstRun: true, server: '' });
  const address = page.getByLabel('Server address');
  await address.fill('localhost:1');
  await page.getByRole('alert').getByText('localhost:1 cannot be reached').waitFor();
  expect(await page.getByRole('button', { name: 'Continue' }).isDisabled()).toBe(true);
  await address.fill(`localhost:${server().port}`);
  await page.getByText(`localhost:${server().port} is reachable.`).waitFor();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Continue without an account' }).click();
  await page.getByRole('button', { name: 'Try a sample site' }).click();
  const card = publishingCard(page, 'sample-site');
  const link = await linkOn(card);
  expect((await server().visit(link)).text).toContain('My first site');
  expect(performance.now() - began).toBeLessThan(60_000);
  expect((await state()).session.servers.map(({ origin }) => origin)).toEqual([`http://localhost:${server().port}`]);

  const { account, key } = await server().account();
  await card.getByRole('button', { name: 'Sign in to keep it' }).click();
  await page.getByRole('button', { name: 'Sign in with the browser' }).click();
  await page.getByText(/^[B-Z]{4}-[B-Z]{4}$/).waitFor();
  expect(main.fake.recorder.of('shell.openExternal')).toHaveLength(1);
  await approveSignIn(server(), account);
  // The page of the claimed site is shown without another click.
  await card.getByText('Expires in').waitFor({ state: 'detached' });
  await card.waitFor();
  const { api } = createClient({ server: `http://localhost:${server().port}`, key });
  const { deployments } = await api.deployments.list.query({});
  expect(deployments.map(({ url, expires }) => [url, expires])).toEqual([[link, undefined]]);
  expect((await ask('readState')).settings.welcomed).toBe(true);
});

it('the first run is not shown again after a restart, and asks only for the sign-in if the app knows its server', async () => {
  const desktop = await start({ firstRun: true });
  const { page, quit, start: restart } = desktop;
  await page.getByRole('heading', { name: `Sign in to localhost:${server().port}` }).waitFor();
  await page.getByRole('button', { name: 'Continue without an account' }).click();
  await page.getByRole('heading', { name: 'Publish', exact: true }).waitFor();
  await quit();
  await restart();
  await desktop.page.getByRole('heading', { name: 'Publish', exact: true }).waitFor();
});
