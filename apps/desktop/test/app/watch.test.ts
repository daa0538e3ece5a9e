import { rmSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { linkOn, noteWords, untilSays, watchFolder } from '../harness/app/cards.ts';
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
