import { rmSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { chooseOf, folderCard, goTo, linkOn, noteWords, untilSays, watchFolder } from '../harness/app/cards.ts';
import { makeSite, rebuild, writeContents } from '../harness/app/folders.ts';
import { desktopSuite } from '../harness/app/suite.ts';

const suite = desktopSuite();

/** Returns the text that visitors of an address see. */
const seen = async (address: string, path = '/') => (await suite.server.visit(address, path)).text;

it('a watched folder that a build deletes and rewrites shows its new content at the same address (desktop §8.9, §8.10, §8.15)', async () => {
  const { key } = await suite.server.account();
  const desktop = await suite.start({ key });
  const folder = makeSite('dist', { 'index.html': 'build 0', 'old.html': 'old' });
  const card = await watchFolder(desktop, folder, 'rebuilt');
  const address = await linkOn(card);
  expect(new URL(address).hostname).toBe('rebuilt.localhost');
  expect(await seen(address)).toBe('build 0');

  rebuild(folder, { 'index.html': 'build 1', 'assets/new.js': 'let a' });
  await vi.waitFor(async () => expect(await seen(address)).toBe('build 1'), 10_000);
  await untilSays(card, 'Up to date');
  expect(await linkOn(card)).toBe(address);
  expect(await seen(address, '/assets/new.js')).toBe('let a');
  expect((await suite.server.visit(address, '/old.html')).status).toBe(404);
});

it('each of several builds is one deploy, and the card says “Up to date” only when it is (desktop §8.4, §8.9, §8.12)', async () => {
  const { key } = await suite.server.account();
  const desktop = await suite.start({ key });
  await desktop.ask('changeSettings', { keepVersions: 50 });
  const folder = makeSite('site', { 'index.html': 'build 0' });
  const card = await watchFolder(desktop, folder, 'builds');
  const address = await linkOn(card);
  const builds = 5;
  for (let build = 1; build <= builds; build += 1) {
    const said = await noteWords(card);
    rebuild(folder, { 'index.html': `build ${build}`, 'big.txt': String(build).repeat(50_000) });
    await vi.waitFor(
      async () => expect((await said()).slice(1)).toContainEqual(expect.stringMatching('Up to date')),
      10_000,
    );
    expect(await seen(address)).toBe(`build ${build}`);
    const words = await said();
    expect(words[0]).toMatch(/^Up to date/);
    expect(words[1]).toMatch(/^Changes detected/);
    expect(words.slice(1).filter((each) => each.startsWith('Up to date'))).toHaveLength(1);
    expect(words.at(-1)).toMatch(/^Up to date/);
  }
  expect(await suite.deployments(key)).toHaveLength(1 + builds);
});

it('a build with the same content as the live version does not deploy (desktop §5, D4)', async () => {
  const { key } = await suite.server.account();
  const desktop = await suite.start({ key });
  const contents = { 'index.html': 'the same', 'a.css': 'b{}' };
  const folder = makeSite('same', contents);
  const card = await watchFolder(desktop, folder, 'the-same');
  const said = await noteWords(card);
  rebuild(folder, contents);
  await vi.waitFor(async () => expect((await said()).at(-1)).toMatch(/^Up to date/), 10_000);
  await vi.waitFor(async () => expect((await said()).length).toBeGreaterThan(2), 10_000);
  expect((await said())[1]).toMatch(/^Changes detected/);
  expect(await suite.deployments(key)).toHaveLength(1);
});

it('a deleted folder is reported as missing and its site stays; when it is back, its new content is live (desktop §8.10, §8.11)', async () => {
  const { key } = await suite.server.account();
  const desktop = await suite.start({ key });
  const folder = makeSite('gone', { 'index.html': 'before' });
  const card = await watchFolder(desktop, folder, 'gone-and-back');
  const address = await linkOn(card);
  rmSync(folder, { recursive: true });
  await untilSays(card, 'Folder not found');
  await card.getByText('The live version is unchanged.').waitFor();
  expect(await seen(address)).toBe('before');
  writeContents(folder, {});
  await untilSays(card, 'Folder is empty');
  writeContents(folder, { 'style.css': 'half a build' });
  await untilSays(card, 'Folder has no index.html');
  expect(await seen(address)).toBe('before');
  expect(await suite.deployments(key)).toHaveLength(1);

  writeContents(folder, { 'index.html': 'after' });
  await untilSays(card, 'Up to date');
  expect(await seen(address)).toBe('after');
});

it('a moved folder can be located and keeps its address (issue: folder missing)', async () => {
  const { key } = await suite.server.account();
  const desktop = await suite.start({ key });
  const folder = makeSite('first-place', { 'index.html': 'here' });
  const card = await watchFolder(desktop, folder, 'moved');
  const address = await linkOn(card);
  rmSync(folder, { recursive: true });
  await untilSays(card, 'Folder not found');
  desktop.main.fake.machine.chosen = [makeSite('second-place', { 'index.html': 'there' })];
  await card.getByRole('button', { name: 'Locate…' }).first().click();
  await vi.waitFor(async () => expect(await seen(address)).toBe('there'), 10_000);
  await untilSays(folderCard(desktop.page, 'second-place'), 'Up to date');
});

it('a paused folder stays paused after a restart and does not publish; resumed, it publishes its newest state (desktop §5, §8.13, D9)', async () => {
  const { key } = await suite.server.account();
  const desktop = await suite.start({ key });
  const folder = makeSite('calm', { 'index.html': 'one' });
  const address = await linkOn(await watchFolder(desktop, folder, 'paused'));
  await chooseOf(desktop.page, 'calm', 'Pause');
  await untilSays(folderCard(desktop.page, 'calm'), 'Paused');
  writeContents(folder, { 'index.html': 'two' });

  await desktop.quit();
  await desktop.start();
  await goTo(desktop.page, 'Folders');
  const card = folderCard(desktop.page, 'calm');
  await untilSays(card, 'Paused');
  writeContents(folder, { 'index.html': 'three' });
  // Publishing another folder shows that there was enough time to publish this one.
  await watchFolder(desktop, makeSite('busy', { 'index.html': 'busy' }), 'busy-meanwhile');
  await untilSays(card, 'Paused');
  expect(await seen(address)).toBe('one');

  await card.getByRole('button', { name: 'Resume' }).click();
  await untilSays(card, 'Up to date');
  expect(await seen(address)).toBe('three');
});

it('after a restart an unchanged folder is up to date without a deploy, and a changed one is published (desktop §5, D4)', async () => {
  const { key } = await suite.server.account();
  const desktop = await suite.start({ key });
  const same = makeSite('unchanged', { 'index.html': 'same' });
  const other = makeSite('changed', { 'index.html': 'before' });
  await watchFolder(desktop, same, 'restart-same');
  const address = await linkOn(await watchFolder(desktop, other, 'restart-other'));
  await desktop.quit();
  writeContents(other, { 'index.html': 'changed while it was off' });
  await desktop.start();
  await goTo(desktop.page, 'Folders');
  await vi.waitFor(async () => expect(await seen(address)).toBe('changed while it was off'), 10_000);
  for (const name of ['unchanged', 'changed']) await untilSays(folderCard(desktop.page, name), 'Up to date');
  expect(await suite.deployments(key)).toHaveLength(3);
});

it('undo restores the previous version and pauses; history makes any version live; resuming restores the newest (desktop §8.22)', async () => {
  const { key } = await suite.server.account();
  const desktop = await suite.start({ key });
  const { page } = desktop;
  const folder = makeSite('history', { 'index.html': 'v1' });
  const card = await watchFolder(desktop, folder, 'with-history');
  const address = await linkOn(card);
  for (const version of ['v2', 'v3']) {
    writeContents(folder, { 'index.html': version });
    await vi.waitFor(async () => expect(await seen(address)).toBe(version), 10_000);
    await untilSays(card, 'Up to date');
  }
  await chooseOf(page, 'history', 'Roll back');
  await untilSays(card, 'Showing an earlier version');
  expect(await seen(address)).toBe('v2');

  await chooseOf(page, 'history', 'History…');
  const dialog = page.getByRole('dialog', { name: 'History of history' });
  const versions = dialog.getByRole('list', { name: 'Versions' }).getByRole('listitem');
  await expect.poll(() => versions.count()).toBe(3);
  expect(await versions.nth(1).getByText('Live', { exact: true }).count()).toBe(1);
  await versions
    .nth(2)
    .getByRole('button', { name: /^Make .* live$/ })
    .click();
  await versions.nth(2).getByText('Live', { exact: true }).waitFor();
  expect(await seen(address)).toBe('v1');
  await page.keyboard.press('Escape');
  await untilSays(card, 'Showing an earlier version');

  // Resuming makes the folder's current content live again.
  await card.getByRole('button', { name: 'Resume' }).click();
  await untilSays(card, 'Up to date');
  expect(await seen(address)).toBe('v3');
});

it('a folder that is no longer watched leaves its site as it is (issue: remove)', async () => {
  const { key } = await suite.server.account();
  const desktop = await suite.start({ key });
  const { page } = desktop;
  const folder = makeSite('leaving', { 'index.html': 'stays' });
  const card = await watchFolder(desktop, folder, 'left-alone');
  const address = await linkOn(card);
  await chooseOf(page, 'leaving', 'Stop watching…');
  await card.getByRole('button', { name: 'Stop watching' }).click();
  await card.waitFor({ state: 'detached' });
  writeContents(folder, { 'index.html': 'not published' });
  await watchFolder(desktop, makeSite('next', { 'index.html': 'next' }), 'next-folder');
  expect(await seen(address)).toBe('stays');
});

it('versions beyond the configured number are deleted, but never deployments that the app did not make (desktop §1)', async () => {
  const { key } = await suite.server.account();
  const other = await suite.server.publish({ 'index.html': 'not of the app' }, { key });
  const desktop = await suite.start({ key });
  await desktop.ask('changeSettings', { keepVersions: 2 });
  const folder = makeSite('kept', { 'index.html': 'v0' });
  const card = await watchFolder(desktop, folder, 'kept-few');
  const address = await linkOn(card);
  for (const version of ['v1', 'v2', 'v3']) {
    writeContents(folder, { 'index.html': version });
    await vi.waitFor(async () => expect(await seen(address)).toBe(version), 10_000);
  }
  await vi.waitFor(async () => expect(await suite.deployments(key)).toHaveLength(3), 10_000);
  expect(await suite.deployments(key)).toContain(other.deployment);
  expect(await seen(address)).toBe('v3');
});
