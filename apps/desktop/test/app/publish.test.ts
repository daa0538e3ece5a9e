import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
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

it('folders dropped together get one link each, and files dropped with them share one link (desktop §8.20)', async () => {
  const { key } = await suite.server.account();
  const { page, drop } = await suite.start({ key });
  const files = makeSite('loose', { 'index.html': 'loose page', 'style.css': 'a{}' });
  await drop([
    makeSite('one', { 'index.html': 'first' }),
    makeSite('two', { 'index.html': 'second' }),
    join(files, 'index.html'),
    join(files, 'style.css'),
  ]);
  const texts: Record<string, string> = {};
  for (const name of ['one', 'two', '2 files']) {
    const card = publishingCard(page, name);
    await card.getByText('Published', { exact: true }).waitFor();
    texts[name] = (await suite.server.visit(await linkOn(card))).text;
  }
  expect(texts).toEqual({ one: 'first', two: 'second', '2 files': 'loose page' });
  expect(await suite.deployments(key)).toHaveLength(3);
});

it('a drop waits in the queue, and says so, while another one is being uploaded (desktop §8.3, §8.20)', async () => {
  const { key } = await suite.server.account();
  const proxy = await suite.proxy();
  const { page, drop } = await suite.start({ key, server: proxy.url });
  const stalled = proxy.stallAfter(200_000);
  await drop(makeSite('big', { 'index.html': 'big one', 'film.bin': randomBytes(3_000_000) }));
  await stalled;
  await publishingCard(page, 'big').getByText('Uploading', { exact: false }).waitFor();
  await drop(makeSite('small', { 'index.html': 'small one' }));
  await publishingCard(page, 'small').getByText('Queued').waitFor();
  proxy.flow();
  for (const name of ['big', 'small']) {
    const card = publishingCard(page, name);
    await card.getByText('Published', { exact: true }).waitFor();
    expect((await suite.server.visit(await linkOn(card))).text).toBe(`${name} one`);
  }
});

it('a folder can be chosen with the system dialog, and a cancelled dialog publishes nothing (issue: pick by dialog)', async () => {
  const { key } = await suite.server.account();
  const { page, main, state } = await suite.start({ key });
  const choose = page.getByRole('button', { name: 'Choose folder…' });
  await choose.click();
  await expect.poll(() => main.fake.recorder.of('dialog.showOpenDialog')).toHaveLength(1);
  expect((await state()).publishings).toEqual([]);

  main.fake.machine.chosen = [makeSite('chosen', { 'index.html': 'picked' })];
  await choose.click();
  const card = publishingCard(page, 'chosen');
  await card.getByText('Link copied').waitFor();
  expect((await suite.server.visit(await linkOn(card))).text).toBe('picked');
});

it('a drop that is cancelled during its upload leaves no deployment, and can still be published later (desktop §8.21)', async () => {
  const { key } = await suite.server.account();
  const proxy = await suite.proxy();
  const { page, main, drop } = await suite.start({ key, server: proxy.url });
  const stalled = proxy.stallAfter(200_000);
  await drop(makeSite('long', { 'index.html': 'long one', 'film.bin': randomBytes(3_000_000) }));
  await stalled;
  const card = publishingCard(page, 'long');
  await card.getByRole('button', { name: 'Cancel long' }).click();
  await card.getByText('Nothing was published.').waitFor();
  proxy.flow();
  expect(await suite.deployments(key)).toEqual([]);
  expect(main.fake.machine.clipboard).toBe('');

  await card.getByRole('button', { name: 'Publish' }).click();
  await card.getByText('Link copied').waitFor();
  expect(await suite.deployments(key)).toHaveLength(1);
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

it('the app asks before it publishes a project, and offers its build instead (desktop §8.17)', async () => {
  const { key } = await suite.server.account();
  const { page, drop } = await suite.start({ key });
  const project = makeSite('shop', { 'package.json': '{}', 'src/secret.ts': 'x', 'dist/index.html': 'built' });
  await drop(project);
  const card = publishingCard(page, 'shop');
  await card.getByText('Is this the right folder?').waitFor();
  expect(await suite.deployments(key)).toEqual([]);
  await card.getByRole('button', { name: 'Publish dist' }).click();
  const built = page.getByRole('article').filter({ hasText: 'Link copied' });
  await built.waitFor();
  const link = await linkOn(built);
  expect((await suite.server.visit(link)).text).toBe('built');
  expect((await suite.server.visit(link, '/src/secret.ts')).status).toBe(404);
});

it('private files are skipped and listed (desktop §8.18)', async () => {
  const { key } = await suite.server.account();
  const { page, drop } = await suite.start({ key });
  await drop(makeSite('secrets', { 'index.html': 'public', '.env': 'TOKEN=1', '.git/config': 'x' }));
  const card = publishingCard(page, 'secrets');
  await card.getByRole('list', { name: 'Skipped files' }).getByText('.env').waitFor();
  expect((await suite.server.visit(await linkOn(card), '/.env')).status).toBe(404);
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
