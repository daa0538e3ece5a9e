import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { linkOn, publishingCard } from '../harness/app/cards.ts';
import { makeSite, writeContents } from '../harness/app/folders.ts';
import { desktopSuite } from '../harness/app/suite.ts';

const suite = desktopSuite();

it('a dropped folder gets a link, which is shown, is copied to the clipboard, and serves exactly its bytes (desktop §8.1, §8.2)', async () => {
  const { key } = await suite.server.account();
  const { page, main, drop } = await suite.start({ key });
  const picture = randomBytes(70_000);
  await drop(makeSite('my-site', { 'index.html': '<h1>Ahoy</h1>', 'assets/deep/picture.png': picture }));

  const card = publishingCard(page, 'my-site');
  await card.getByText('Link copied').waitFor();
  const link = await linkOn(card);
  expect(main.fake.machine.clipboard).toBe(link);
  expect((await suite.server.visit(link)).text).toBe('<h1>Ahoy</h1>');
  expect((await suite.server.visit(link, '/assets/deep/picture.png')).bytes.equals(picture)).toBe(true);
  await card.getByRole('button', { name: 'Open', exact: true }).click();
  await expect.poll(() => main.fake.recorder.of('shell.openExternal')).toEqual([[new URL(link).href]]);
});

it('the window shows what a drop does, and on which half, while a folder is dragged over it (desktop §8.1)', async () => {
  const folder = makeSite('site', { 'index.html': 'hi' });
  const signedOut = await suite.start();
  await signedOut.window.drag([folder], 'right', ['dragEnter', 'dragOver']);
  await signedOut.page.getByText('Drop to publish').waitFor();
  expect((await signedOut.state()).publishings).toEqual([]);

  const { key } = await suite.server.account();
  const signedIn = await suite.start({ key });
  await signedIn.window.drag([folder], 'right', ['dragEnter', 'dragOver']);
  await signedIn.page.locator('.drop-zone.is-active', { hasText: 'Publish and watch' }).waitFor();
  await signedIn.window.drag([folder], 'left', ['dragOver']);
  await signedIn.page.locator('.drop-zone.is-active', { hasText: 'Publish once' }).waitFor();
  await signedIn.window.drag([folder], 'left', ['drop']);
  await signedIn.page.locator('.drop-zone').first().waitFor({ state: 'detached' });
  await publishingCard(signedIn.page, 'site').getByText('Link copied').waitFor();
});

it('an error names the file and the next step, and stays until it is dismissed (desktop §8.5)', async () => {
  const { key } = await suite.server.account();
  const { page, drop } = await suite.start({ key });
  const folder = makeSite('tools', { 'index.html': 'hi', 'downloads/setup.exe': 'MZ' });
  await drop(folder);
  const card = publishingCard(page, 'tools');
  const failure = card.locator('.problem-text');
  await failure.getByText('downloads/setup.exe').first().waitFor();
  expect(await failure.innerText()).toContain('.berthignore');
  expect(await card.getByText('Not published').count()).toBe(1);

  // Meanwhile another drop succeeds.
  await drop(makeSite('fine', { 'index.html': 'fine' }));
  await publishingCard(page, 'fine').getByText('Published', { exact: true }).waitFor();
  expect(await failure.isVisible()).toBe(true);

  // The suggested next step fixes the error.
  writeContents(folder, { '.berthignore': 'downloads/\n' });
  await card.getByRole('button', { name: 'Try again' }).click();
  await card.getByText('Published', { exact: true }).waitFor();
  expect((await suite.server.visit(await linkOn(card))).text).toBe('hi');
  expect((await suite.server.visit(await linkOn(card), '/downloads/setup.exe')).status).toBe(404);
  await card.getByRole('button', { name: 'Dismiss tools' }).click();
  await card.waitFor({ state: 'detached' });
});

it('a drop is accepted anywhere on the window, even while a dialog is open (desktop §8.1)', async () => {
  const { key } = await suite.server.account();
  const { page, drop } = await suite.start({ key });
  await drop(makeSite('first', { 'index.html': '1' }), 'right');
  await page.getByRole('dialog', { name: 'Watch first' }).waitFor();
  await drop(makeSite('second', { 'index.html': '2' }));
  await page.keyboard.press('Escape');
  await publishingCard(page, 'second').getByText('Published', { exact: true }).waitFor();
});
