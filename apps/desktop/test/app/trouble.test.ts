import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { startProxy } from '@berth/testing/proxy';
import { expect, it, vi } from 'vitest';
import { folderCard, goTo, linkOn, noteWords, publishingCard, untilSays, watchFolder } from '../harness/app/cards.ts';
import { makeHome, makeSite, writeContents } from '../harness/app/folders.ts';
import { desktopSuite } from '../harness/app/suite.ts';

const suite = desktopSuite();
const seen = async (address: string, path = '/') => (await suite.server.visit(address, path)).text;

/** A site that takes a while to upload. */
const big = (text: string) => ({ 'index.html': text, 'film.bin': randomBytes(3_000_000) });

it('a drop whose app quits during the upload is published exactly once after a restart (issue: quit in the middle)', async () => {
  const { key } = await suite.server.account();
  const proxy = await suite.proxy();
  const desktop = await suite.start({ key, server: proxy.url });
  const stalled = proxy.stallAfter(1_000_000);
  await desktop.drop(makeSite('film', big('the film')));
  await stalled;
  await desktop.quit();
  proxy.flow();
  expect(await suite.deployments(key)).toEqual([]);

  await desktop.start();
  const card = publishingCard(desktop.page, 'film');
  await card.getByText('Published', { exact: true }).waitFor();
  expect(await seen(await linkOn(card))).toBe('the film');
  expect(await suite.deployments(key)).toHaveLength(1);
});

it('a drop whose app is killed during the upload is published exactly once after the next start (issue: quit in the middle)', async () => {
  const { key } = await suite.server.account();
  const proxy = await suite.proxy();
  const desktop = await suite.startApart({ key, server: proxy.url });
  const stalled = proxy.stallAfter(1_000_000);
  await desktop.drop(makeSite('film', big('the film')));
  await stalled;
  await desktop.main.kill();
  await desktop.window.close();
  proxy.flow();

  await desktop.start();
  const card = publishingCard(desktop.page, 'film');
  await card.getByText('Published', { exact: true }).waitFor();
  expect(await seen(await linkOn(card))).toBe('the film');
  expect(await suite.deployments(key)).toHaveLength(1);
});

it('an app that is killed before it receives the answer to a commit does not publish twice (issue: nothing twice)', async () => {
  const { key } = await suite.server.account();
  const proxy = await startProxy(suite.server.port);
  const restarted = Promise.withResolvers<void>();
  proxy.trouble = async (_req, path, nth) => {
    if (path !== '/trpc/deployments.commit') return undefined;
    if (nth > 0) await restarted.promise;
    return nth === 0 ? 'lose-answer' : undefined;
  };
  const desktop = await suite.startApart({ key, server: proxy.url.replace('127.0.0.1', 'localhost') });
  await desktop.drop(makeSite('once', { 'index.html': 'only once' }));
  await vi.waitFor(async () => expect(await suite.deployments(key)).toHaveLength(1), 10_000);
  await desktop.main.kill();
  await desktop.window.close();
  restarted.resolve();

  await desktop.start();
  const card = publishingCard(desktop.page, 'once');
  await card.getByText('Published', { exact: true }).waitFor();
  expect(await seen(await linkOn(card))).toBe('only once');
  expect(await suite.deployments(key)).toHaveLength(1);
});

it('a watched folder whose app quits during the upload is live after a restart, with one deployment for the change (issue: quit in the middle)', async () => {
  const { key } = await suite.server.account();
  const proxy = await suite.proxy();
  const desktop = await suite.start({ key, server: proxy.url });
  const folder = makeSite('watched', { 'index.html': 'small' });
  const address = await linkOn(await watchFolder(desktop, folder, 'quit-in-the-middle'));
  const stalled = proxy.stallAfter(1_000_000);
  writeContents(folder, big('large'));
  await stalled;
  await desktop.quit();
  proxy.flow();
  expect(await seen(address)).toBe('small');

  await desktop.start();
  await goTo(desktop.page, 'Folders');
  await vi.waitFor(async () => expect(await seen(address)).toBe('large'), 10_000);
  await untilSays(folderCard(desktop.page, 'watched'), 'Up to date');
  expect(await suite.deployments(key)).toHaveLength(2);
});

it('a watched folder waits, and says so, while its server is unreachable, and is published when it is back (desktop §8.6, §8.25)', async () => {
  const { key } = await suite.server.account();
  const proxy = await suite.proxy();
  const desktop = await suite.start({ key, server: proxy.url });
  const folder = makeSite('patient', { 'index.html': 'before' });
  const card = await watchFolder(desktop, folder, 'server-away');
  const address = await linkOn(card);
  const said = await noteWords(card);
  proxy.cut();
  writeContents(folder, { 'index.html': 'after' });
  await untilSays(card, 'Waiting for the network');
  expect((await said())[1]).toMatch(/^Changes detected/);
  expect((await said()).filter((words) => words.startsWith('Up to date'))).toHaveLength(1);
  expect(await seen(address)).toBe('before');

  proxy.restore();
  await vi.waitFor(async () => expect(await seen(address)).toBe('after'), 10_000);
  await untilSays(card, 'Up to date');
  expect(await suite.deployments(key)).toHaveLength(2);
});

it('a drop resumes automatically after its connection breaks during the upload and comes back (desktop §8.6)', async () => {
  const { key } = await suite.server.account();
  const proxy = await suite.proxy();
  const desktop = await suite.start({ key, server: proxy.url });
  const stalled = proxy.stallAfter(1_000_000);
  await desktop.drop(makeSite('broken-off', big('whole')));
  await stalled;
  proxy.cut();
  const card = publishingCard(desktop.page, 'broken-off');
  await card.getByText('Trying again').waitFor();
  proxy.flow();
  proxy.restore();
  await card.getByText('Published', { exact: true }).waitFor();
  expect(await seen(await linkOn(card))).toBe('whole');
  expect(await suite.deployments(key)).toHaveLength(1);
});

it('a drop says that it is retried while its server is unreachable, and resumes automatically (desktop §8.4, §8.25)', async () => {
  const { key } = await suite.server.account();
  const proxy = await suite.proxy();
  const desktop = await suite.start({ key, server: proxy.url });
  proxy.cut();
  await desktop.drop(makeSite('no-server', { 'index.html': 'late' }));
  const card = publishingCard(desktop.page, 'no-server');
  await card.getByText('Trying again').first().waitFor();
  expect(await card.getByText('Link copied').count()).toBe(0);
  proxy.restore();
  await card.getByText('Published', { exact: true }).waitFor();
  expect(await seen(await linkOn(card))).toBe('late');
});

it('a damaged data file is reported in the window once, and the app works (desktop §8.5)', async () => {
  const home = makeHome();
  const data = join(home, 'userData', 'berth', 'data');
  writeContents(data, { 'folders.json': '{"folders": [' });
  const desktop = await suite.start({ home });
  const notice = () => desktop.page.getByRole('alert').filter({ hasText: 'watched folders could not be read' });
  await notice().getByText(join(data, 'folders.json.damaged')).waitFor();
  await notice().getByText('Watch them again under Folders').waitFor();
  await desktop.quit();

  await desktop.start();
  await desktop.drop(makeSite('whole', { 'index.html': 'whole' }));
  await publishingCard(desktop.page, 'whole').getByText('Published', { exact: true }).waitFor();
  expect(await notice().count()).toBe(0);
});
