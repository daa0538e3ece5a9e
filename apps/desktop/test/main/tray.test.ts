import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { AppStatus, Summary } from '../../src/main/backend.ts';
import { hasTrayHost } from '../../src/main/shell/tray-host.ts';
import { choose } from '../harness/fake-electron.ts';
import type { FakeTray } from '../harness/fake-electron/desktop.ts';
import { IDLE_SUMMARY, type SmallBackend, startedApp, type StartOptions } from './started-app.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const BUSY_SUMMARY: Summary = {
  status: 'working',
  text: 'Publishing site.',
  progress: null,
  links: [{ name: 'this & that', url: 'https://a.example/' }],
  folders: [
    { id: 'a'.repeat(16), name: 'site', paused: false },
    { id: 'b'.repeat(16), name: 'blog', paused: true },
  ],
};

async function withTray(options: StartOptions = {}) {
  const app = await startedApp(options);
  return { ...app, tray: app.fake.trays[0]! };
}

/** Changes the summary and waits until the tray shows it. */
function changeSummary(backend: SmallBackend, summary: Summary): void {
  backend.summaryNow = summary;
  backend.options.emit('publishings', []);
  vi.advanceTimersByTime(250);
}

const labels = ({ menu }: FakeTray) => menu!.template.map(({ label, type }) => label ?? type);

it('the tray shows the status by its icon, tooltip and menu (desktop §8.12)', async () => {
  const { tray, backend, dist } = await withTray();
  for (const status of ['idle', 'working', 'paused', 'offline', 'error'] as const satisfies AppStatus[]) {
    changeSummary(backend, { ...IDLE_SUMMARY, status, text: `It is ${status}.` });
    expect(tray.image.path).toBe(join(dist, 'assets', 'tray', `${status}Large.png`));
    expect(tray.toolTip).toBe(`Berth: It is ${status}.`);
    expect(labels(tray)[0]).toBe(`It is ${status}.`);
  }
});

it('the tray icon of Windows has its own size', async () => {
  const { tray, dist } = await withTray({ platform: 'win32' });
  expect(tray.image).toMatchObject({ path: join(dist, 'assets', 'tray', 'idle.png'), template: false });
});

it('the tray icon on macOS is a template image', async () => {
  const { tray, backend, dist } = await withTray({ platform: 'darwin' });
  const images = join(dist, 'assets', 'tray');
  expect(tray.image).toMatchObject({ path: join(images, 'idleTemplate.png'), template: true });
  changeSummary(backend, BUSY_SUMMARY);
  expect(tray.image).toMatchObject({ path: join(images, 'workingTemplate.png'), template: true });
});

it('the tray is updated at most a few times a second, always shows the last summary, and ignores unchanged summaries', async () => {
  const { tray, backend } = await withTray();
  expect(tray.menus).toBe(1);
  for (let at = 0; at < 1_000; at += 1) {
    backend.summaryNow = { ...IDLE_SUMMARY, text: `Number ${at}.` };
    backend.options.emit('publishings', []);
    vi.advanceTimersByTime(1);
  }
  vi.advanceTimersByTime(250);
  expect(tray.toolTip).toBe('Berth: Number 999.');
  expect(tray.menus).toBeLessThanOrEqual(6);
  const { menus } = tray;
  changeSummary(backend, { ...IDLE_SUMMARY, text: 'Number 999.' });
  expect(tray.menus).toBe(menus);
});

it('the tray menu has links and folders with their actions', async () => {
  const { tray, backend, fake } = await withTray();
  changeSummary(backend, BUSY_SUMMARY);
  expect(labels(tray)).toStrictEqual([
    'Publishing site.',
    'separator',
    'Open Berth',
    'Open drop window',
    'Publish a folder…',
    'separator',
    'this && that',
    'separator',
    'Pause site',
    'Resume blog',
    'Pause all',
    'separator',
    'Show logs',
    'Quit Berth',
  ]);
  backend.asked.splice(0);
  choose(tray.menu, 'this && that', 'Copy link');
  choose(tray.menu, 'this && that', 'Open in browser');
  choose(tray.menu, 'Pause site');
  choose(tray.menu, 'Resume blog');
  choose(tray.menu, 'Pause all');
  await vi.waitFor(() => expect(backend.asked).toHaveLength(5));
  expect(backend.asked).toStrictEqual([
    { name: 'copy', input: { text: 'https://a.example/' } },
    { name: 'openLink', input: { url: 'https://a.example/' } },
    { name: 'pauseFolder', input: { id: 'a'.repeat(16) } },
    { name: 'resumeFolder', input: { id: 'b'.repeat(16) } },
    { name: 'pauseFolder', input: { id: 'a'.repeat(16) } },
  ]);
  changeSummary(backend, {
    ...BUSY_SUMMARY,
    folders: BUSY_SUMMARY.folders.map((folder) => ({ ...folder, paused: true })),
  });
  backend.asked.splice(0);
  choose(tray.menu, 'Resume all');
  await vi.waitFor(() => expect(backend.asked).toHaveLength(2));
  expect(backend.asked.map(({ name }) => name)).toStrictEqual(['resumeFolder', 'resumeFolder']);
  fake.window().hide();
  choose(tray.menu, 'Open Berth');
  expect(fake.window().visible).toBe(true);
});

it('the tray is removed when the user quits, and is no longer updated', async () => {
  const { tray, backend, fake } = await withTray();
  choose(tray.menu, 'Quit Berth');
  expect(await fake.app.ended).toBe(0);
  expect(tray.destroyed).toBe(true);
  changeSummary(backend, BUSY_SUMMARY);
  expect(tray.menus).toBe(1);
});

it('the window shows an error of an action of the tray', async () => {
  const { tray, backend, fake } = await withTray();
  await fake.invoke('berth:readState');
  fake.window().hide();
  const visibleStates: boolean[] = [];
  backend.answers.set('pickFolder', () => {
    visibleStates.push(fake.window().visible);
    return Promise.reject(new Error('broken'));
  });
  choose(tray.menu, 'Publish a folder…');
  await vi.waitFor(() => expect(fake.window().webContents.sent.at(-1)?.[0]).toBe('berth:on:problem'));
  // The window is shown for the dialog and again for the error.
  expect(visibleStates).toStrictEqual([true]);
  expect(fake.window().visible).toBe(true);
});

it('items that are dropped on the tray icon are published', async () => {
  const { tray, backend } = await withTray({ platform: 'darwin' });
  tray.emit('drop-files', {}, ['/home/me/site', '/home/me/blog']);
  await vi.waitFor(() => expect(backend.asked.at(-1)?.name).toBe('publish'));
  expect(backend.given).toStrictEqual([['/home/me/site', '/home/me/blog']]);
});

it('there is a tray on macOS and Windows, and on Linux if the desktop reports one (desktop §2)', async () => {
  const noBus = () => Promise.reject(new Error('no bus'));
  expect(await hasTrayHost('darwin', 1, noBus)).toBe(true);
  expect(await hasTrayHost('win32', 1, noBus)).toBe(true);
  expect(await hasTrayHost('linux', 1, async () => '(true,)\n')).toBe(true);
  expect(await hasTrayHost('linux', 1, async () => '(false,)\n')).toBe(false);
  expect(await hasTrayHost('linux', 1, noBus)).toBe(false);
});

it('the app asks for a tray with a second program if the first program is missing', async () => {
  const run = vi.fn<(program: string) => Promise<string>>(async () => '   boolean true');
  run.mockRejectedValueOnce(new Error('not found'));
  expect(await hasTrayHost('linux', 1, run)).toBe(true);
  expect(run.mock.calls.map(([program]) => program)).toStrictEqual(['gdbus', 'dbus-send']);
});

it('the app waits for the tray of a starting desktop, up to the given number of attempts', async () => {
  let attempts = 0;
  const run = async () => {
    attempts += 1;
    return `(${attempts === 3},)`;
  };
  const foundOnThirdTry = hasTrayHost('linux', 3, run);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await foundOnThirdTry).toBe(true);
  attempts = 10;
  const neverFound = hasTrayHost('linux', 2, run);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await neverFound).toBe(false);
  expect(attempts).toBe(12);
});
