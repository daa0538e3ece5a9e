import { expect, it } from 'vitest';
import { folderCard, linkOn, nameFolder, publishingCard, untilSays } from '../harness/app/cards.ts';
import type { DesktopUnderTest } from '../harness/app/desktop.ts';
import { makeSite } from '../harness/app/folders.ts';
import type { MainHere } from '../harness/app/main-process.ts';
import { desktopSuite } from '../harness/app/suite.ts';
import { choose } from '../harness/fake-electron.ts';

const suite = desktopSuite();
const PASSWORD = 'open-sesame';

type App = DesktopUnderTest<MainHere>;

/** All ways to publish without using the page of the window. */
const WAYS: [string, (app: App, folder: string) => void][] = [
  [
    'the File menu',
    ({ main: { fake } }, folder) => {
      fake.machine.chosen = [folder];
      choose(fake.menu(), '&File', 'Publish folder…');
    },
  ],
  [
    'the menu of the tray',
    ({ main: { fake } }, folder) => {
      fake.machine.chosen = [folder];
      choose(fake.trays[0]!.menu, 'Publish a folder…');
    },
  ],
  ['a drop on the tray', ({ main: { fake } }, folder) => fake.trays[0]!.emit('drop-files', {}, [folder])],
  ['a drop on the Dock', ({ main: { fake } }, folder) => fake.app.emit('open-file', { preventDefault() {} }, folder)],
  ['a second start', ({ main: { fake } }, folder) => fake.app.emit('second-instance', {}, ['berth', folder], '/')],
];

async function startWithPassword(): Promise<App & { key: string }> {
  const { key } = await suite.server.account();
  const desktop = await suite.start({ key });
  await desktop.page.getByRole('button', { name: 'Domain, password, labels' }).click();
  await desktop.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await desktop.page.getByText('a password', { exact: true }).waitFor();
  return Object.assign(desktop, { key });
}

it.each(WAYS)('a password set for the next drop protects what is published by %s (B2)', async (_, publish) => {
  const desktop = await startWithPassword();
  publish(desktop, makeSite('secret', { 'index.html': 'secret' }));
  const card = publishingCard(desktop.page, 'secret');
  await card.getByText('Password-protected').waitFor();
  expect((await suite.server.visit(await linkOn(card))).status).toBe(401);
  // The password applied only to this drop.
  await desktop.page.getByText('The next drop gets').waitFor({ state: 'detached' });
  publish(desktop, makeSite('open', { 'index.html': 'open' }));
  const next = publishingCard(desktop.page, 'open');
  await next.getByText('Published', { exact: true }).waitFor();
  expect((await suite.server.visit(await linkOn(next))).text).toBe('open');
});

it.each(WAYS)('the app asks before it publishes a project given by %s (B1)', async (_, publish) => {
  const { key } = await suite.server.account();
  const desktop = await suite.start({ key });
  publish(desktop, makeSite('shop', { 'package.json': '{}', 'dist/index.html': 'built' }));
  await publishingCard(desktop.page, 'shop').getByText('Is this the right folder?').waitFor();
  expect(await suite.deployments(key)).toEqual([]);
});

it('a password set for the next drop protects a folder that is dropped to be watched (B2)', async () => {
  const desktop = await startWithPassword();
  const { page } = desktop;
  await desktop.drop(makeSite('secret', { 'index.html': 'secret' }), 'right');
  const dialog = page.getByRole('dialog', { name: 'Watch secret' });
  await nameFolder(dialog, 'kept-secret');
  await dialog.getByRole('button', { name: 'Watch and publish' }).click();
  const card = folderCard(page, 'secret');
  await untilSays(card, 'Up to date');
  expect((await suite.server.visit(await linkOn(card))).status).toBe(401);
});

it('the app asks about a project that is dropped to be watched, and can watch its build instead (B1)', async () => {
  const { key } = await suite.server.account();
  const desktop = await suite.start({ key });
  const { page } = desktop;
  await desktop.drop(makeSite('shop', { 'package.json': '{}', 'dist/index.html': 'built' }), 'right');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('This looks like a project’s source').waitFor();
  expect(await suite.deployments(key)).toEqual([]);
  await dialog.getByRole('button', { name: 'dist' }).click();
  await nameFolder(dialog, 'built-shop');
  await dialog.getByRole('button', { name: 'Watch and publish' }).click();
  const card = folderCard(page, 'dist');
  await untilSays(card, 'Up to date');
  const link = await linkOn(card);
  expect((await suite.server.visit(link)).text).toBe('built');
  expect((await suite.server.visit(link, '/package.json')).status).toBe(404);
});
