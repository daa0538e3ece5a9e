import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { linkOn, publishingCard } from '../harness/app/cards.ts';
import { makeHome, makeSite, writeContents } from '../harness/app/folders.ts';
import type { MainHere } from '../harness/app/main-process.ts';
import { deploymentsOf, desktopSuite } from '../harness/app/suite.ts';
import { choose } from '../harness/fake-electron.ts';

const { server, start } = desktopSuite();

it('a dropped folder gets a link that is shown, is copied to the clipboard, and serves the files of the folder (desktop §8.1, §8.2)', async () => {
  const { key } = await server().account();
  const { page, main, drop } = await start({ key });
  const picture = randomBytes(70_000);
  await drop(makeSite('my-site', { 'index.html': '<h1>Ahoy</h1>', 'assets/deep/picture.png': picture }));

  const card = publishingCard(page, 'my-site');
  await card.getByText('Link copied').waitFor();
  const link = await linkOn(card);
  expect(main.fake.machine.clipboard).toBe(link);
  expect((await server().visit(link)).text).toBe('<h1>Ahoy</h1>');
  expect((await server().visit(link, '/assets/deep/picture.png')).bytes.equals(picture)).toBe(true);
  await card.getByRole('button', { name: 'Open', exact: true }).click();
  await expect.poll(() => main.fake.recorder.of('shell.openExternal')).toEqual([[new URL(link).href]]);
});

it('a failed drop names the file and the next step, and stays on the page until the user dismisses it (desktop §8.5)', async () => {
  const { key } = await server().account();
  const { page, drop } = await start({ key });
  const folder = makeSite('tools', { 'index.html': 'hi', 'downloads/setup.exe': 'MZ' });
  await drop(folder);
  const card = publishingCard(page, 'tools');
  const failure = card.locator('.problem-text');
  await failure.getByText('downloads/setup.exe').first().waitFor();
  expect(await failure.innerText()).toContain('.berthignore');
  expect(await card.getByText('Not published').count()).toBe(1);

  // The failure stays visible while another drop is published.
  await drop(makeSite('fine', { 'index.html': 'fine' }));
  await publishingCard(page, 'fine').getByText('Published', { exact: true }).waitFor();
  expect(await failure.isVisible()).toBe(true);

  // The drop is published after the user takes the suggested next step.
  writeContents(folder, { '.berthignore': 'downloads/\n' });
  await card.getByRole('button', { name: 'Try again' }).click();
  await card.getByText('Published', { exact: true }).waitFor();
  expect((await server().visit(await linkOn(card))).text).toBe('hi');
  expect((await server().visit(await linkOn(card), '/downloads/setup.exe')).status).toBe(404);
  await card.getByRole('button', { name: 'Dismiss tools' }).click();
  await card.waitFor({ state: 'detached' });
});

it('the window reports a damaged data file once, and the app still publishes folders (desktop §8.5)', async () => {
  const home = makeHome();
  const data = join(home, 'userData', 'berth', 'data');
  writeContents(data, { 'folders.json': '{"folders": [' });
  const desktop = await start({ home });
  const notice = () => desktop.page.getByRole('alert').filter({ hasText: 'watched folders could not be read' });
  await notice().getByText(join(data, 'folders.json.damaged')).waitFor();
  await notice().getByText('Watch your folders again under Folders').waitFor();
  await desktop.quit();

  await desktop.start();
  await desktop.drop(makeSite('whole', { 'index.html': 'whole' }));
  await publishingCard(desktop.page, 'whole').getByText('Published', { exact: true }).waitFor();
  expect(await notice().count()).toBe(0);
});

it.each<[string, (fake: MainHere['fake'], folder: string) => void]>([
  ['the File menu', (fake) => choose(fake.menu(), '&File', 'Publish folder…')],
  ['the menu of the tray', (fake) => choose(fake.trays[0]!.menu, 'Publish a folder…')],
  ['a drop on the tray', (fake, folder) => fake.trays[0]!.emit('drop-files', {}, [folder])],
  ['a drop on the Dock', (fake, folder) => fake.app.emit('open-file', { preventDefault() {} }, folder)],
  ['a second start', (fake, folder) => fake.app.emit('second-instance', {}, ['berth', folder], '/')],
])(
  'a folder from %s is published with the password of the next drop, but a project only after a question (B1, B2)',
  async (_, open) => {
    const { key } = await server().account();
    const { page, main } = await start({ key });
    const publish = (folder: string) => {
      main.fake.machine.chosen = [folder];
      open(main.fake, folder);
    };
    publish(makeSite('shop', { 'package.json': '{}', 'dist/index.html': 'built' }));
    await publishingCard(page, 'shop').getByText('Is this the right folder?').waitFor();
    expect(await deploymentsOf(server(), key)).toEqual([]);

    await page.getByRole('button', { name: 'Domain, password, labels' }).click();
    await page.getByLabel('Password', { exact: true }).fill('open-sesame');
    await page.getByText('a password', { exact: true }).waitFor();
    publish(makeSite('secret', { 'index.html': 'secret' }));
    const card = publishingCard(page, 'secret');
    await card.getByText('Password-protected').waitFor();
    expect((await server().visit(await linkOn(card))).status).toBe(401);
    // The password applies only to the drop that used it.
    await page.getByText('The next drop gets').waitFor({ state: 'detached' });
    publish(makeSite('open', { 'index.html': 'open' }));
    const nextCard = publishingCard(page, 'open');
    await nextCard.getByText('Published', { exact: true }).waitFor();
    expect((await server().visit(await linkOn(nextCard))).text).toBe('open');
  },
);
