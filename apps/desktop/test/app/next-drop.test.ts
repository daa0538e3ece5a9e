import { expect, it } from 'vitest';
import { linkOn, publishingCard } from '../harness/app/cards.ts';
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
