import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { DROP_PAGE_URL } from '../../src/main/shell/app-protocol.ts';
import { DROP_WINDOW_SIZE, placeBeside } from '../../src/main/shell/drop-window.ts';
import { choose } from '../harness/fake-electron.ts';
import { startedApp, type StartOptions } from './started-app.ts';

async function withTray(options: StartOptions = {}) {
  const app = await startedApp(options);
  const [tray] = app.fake.trays;
  const [main] = app.fake.windows;
  /** Returns the open drop windows. */
  const dropWindows = () => app.fake.windows.filter((window) => window !== main && !window.isDestroyed());
  return { ...app, tray: tray!, main: main!, dropWindows };
}

it.for(['linux', 'win32', 'darwin'])(
  'on %s, a click on the tray icon opens the drop window, and closes it',
  async (platform) => {
    const { fake, tray, dropWindows } = await withTray({ platform });
    tray.emit('click');
    const [window] = dropWindows();
    expect(fake.recorder.of('window.loadURL').at(-1)).toStrictEqual([DROP_PAGE_URL]);
    await vi.waitFor(() => expect(window!.visible).toBe(true));
    expect(window!.options).toMatchObject({ ...DROP_WINDOW_SIZE, alwaysOnTop: true, skipTaskbar: true });
    tray.emit('click');
    expect(dropWindows()).toStrictEqual([]);
  },
);

it('the page of the drop window has the same protections as the main window (desktop §6)', async () => {
  const { tray, main, dropWindows } = await withTray();
  tray.emit('click');
  expect(dropWindows()[0]!.options['webPreferences']).toStrictEqual(main.options['webPreferences']);
});

it('the menu of the tray opens the drop window; on macOS a right click opens the menu', async () => {
  const onLinux = await withTray();
  choose(onLinux.tray.menu, 'Open drop window');
  expect(onLinux.dropWindows()).toHaveLength(1);
  const onMac = await withTray({ platform: 'darwin' });
  expect(onMac.tray.menu).toBe(null);
  onMac.tray.emit('right-click');
  choose(onMac.tray.openedMenu, 'Open drop window');
  expect(onMac.dropWindows()).toHaveLength(1);
});

it('Escape closes the drop window', async () => {
  const { tray, dropWindows } = await withTray();
  tray.emit('click');
  const [window] = dropWindows();
  window!.webContents.emit('before-input-event', new Event('input'), { type: 'keyDown', key: 'a' });
  expect(dropWindows()).toHaveLength(1);
  window!.webContents.emit('before-input-event', new Event('input'), { type: 'keyDown', key: 'Escape' });
  expect(dropWindows()).toStrictEqual([]);
});

it('only on macOS the drop window closes when the user clicks elsewhere, and a click on the icon does not reopen it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const onLinux = await withTray();
    onLinux.tray.emit('click');
    onLinux.dropWindows()[0]!.blur();
    vi.advanceTimersByTime(1_000);
    expect(onLinux.dropWindows()).toHaveLength(1);

    const { tray, dropWindows } = await withTray({ platform: 'darwin' });
    tray.emit('click');
    dropWindows()[0]!.blur();
    vi.advanceTimersByTime(1_000);
    expect(dropWindows()).toStrictEqual([]);
    tray.emit('click');
    // A click on the icon takes the focus from the window first.
    dropWindows()[0]!.blur();
    tray.emit('click');
    vi.advanceTimersByTime(1_000);
    expect(dropWindows()).toStrictEqual([]);
  } finally {
    vi.useRealTimers();
  }
});

it('on macOS a drag over the icon opens the drop window without the focus, which it gets when the drag ends', async () => {
  const { tray, dropWindows } = await withTray({ platform: 'darwin' });
  tray.emit('drag-enter');
  const [window] = dropWindows();
  await vi.waitFor(() => expect(window!.visible).toBe(true));
  expect(window!.focused).toBe(false);
  tray.emit('drag-end');
  expect(window!.focused).toBe(true);
});

it('the drop window gets the state of the app, but no requests to the main window', async () => {
  const { fake, tray, main, backend, dropWindows } = await withTray();
  await fake.invoke('berth:readState', undefined, main.asSender());
  tray.emit('click');
  const [window] = dropWindows();
  const { webContents } = window!;
  await fake.invoke('berth:readState', undefined, window!.asSender());
  backend.options.emit('settings', backend.settings);
  backend.options.emit('navigate', { page: 'sites' });
  expect(webContents.sent.map(([channel]) => channel)).toStrictEqual(['berth:on:settings']);
  await vi.waitFor(() =>
    expect(main.webContents.sent.map(([channel]) => channel)).toStrictEqual(['berth:on:settings', 'berth:on:navigate']),
  );
});

it('a request to the main window waits until the main window listens, not the drop window', async () => {
  const { fake, tray, main, backend, dropWindows } = await withTray();
  backend.options.emit('navigate', { page: 'sites' });
  tray.emit('click');
  await fake.invoke('berth:readState', undefined, dropWindows()[0]!.asSender());
  await new Promise(setImmediate);
  expect(main.webContents.sent).toStrictEqual([]);
  await fake.invoke('berth:readState', undefined, main.asSender());
  await vi.waitFor(() => expect(main.webContents.sent).toStrictEqual([['berth:on:navigate', { page: 'sites' }]]));
});

it('the drop window shows the main window, which asks for a folder if the user wants to choose one', async () => {
  const { fake, main, backend } = await withTray();
  await fake.invoke('berth:readState', undefined, main.asSender());
  await new Promise(setImmediate);
  main.hide();
  backend.options.native.showWindow({ page: 'folders', id: 'a'.repeat(16) });
  expect(main.visible).toBe(true);
  expect(main.webContents.sent.at(-1)).toStrictEqual(['berth:on:navigate', { page: 'folders', id: 'a'.repeat(16) }]);
  backend.answers.set('pickFolder', async () => null);
  backend.options.native.showWindow({ page: 'publish', choose: true });
  await vi.waitFor(() => expect(backend.asked.at(-1)?.name).toBe('pickFolder'));
});

it('there are no notifications while the drop window is in front, which shows the same', async () => {
  const { fake, tray, main, backend, dropWindows } = await withTray();
  main.blur();
  tray.emit('click');
  await vi.waitFor(() => expect(dropWindows()[0]!.focused).toBe(true));
  const notification = {
    about: 'a',
    title: 'site is live',
    body: '',
    link: null,
    target: { page: 'publish' as const },
  };
  backend.options.native.notify(notification);
  expect(fake.notifications).toStrictEqual([]);
  tray.emit('click');
  backend.options.native.notify(notification);
  expect(fake.notifications).toHaveLength(1);
});

it('the drop window is beside the tray icon, or at the pointer where the system does not report the icon', async () => {
  const { fake, tray, dropWindows } = await withTray({ displays: [{ x: 0, y: 0, width: 1920, height: 1040 }] });
  tray.bounds = { x: 1_700, y: 1_050, width: 24, height: 24 };
  tray.emit('click');
  expect(dropWindows()[0]!.options).toMatchObject({ x: 1_532, y: 492 });
  tray.emit('click');
  tray.bounds = { x: 0, y: 0, width: 0, height: 0 };
  fake.machine.pointer = { x: 900, y: 10 };
  tray.emit('click');
  expect(dropWindows()[0]!.options).toMatchObject({ x: 720, y: 18 });
});

it('the whole drop window is inside the work area, wherever the icon is', () => {
  const coordinate = fc.integer({ min: -5_000, max: 5_000 });
  const side = fc.integer({ min: 560, max: 4_000 });
  const icon = fc.record({ x: coordinate, y: coordinate, width: fc.nat(64), height: fc.nat(64) });
  const workArea = fc.record({ x: coordinate, y: coordinate, width: side, height: side });
  fc.assert(
    fc.property(icon, workArea, (trayIcon, area) => {
      const { x, y, width, height } = placeBeside(trayIcon, area);
      expect(x).toBeGreaterThanOrEqual(area.x);
      expect(y).toBeGreaterThanOrEqual(area.y);
      expect(x + width).toBeLessThanOrEqual(area.x + area.width);
      expect(y + height).toBeLessThanOrEqual(area.y + area.height);
    }),
  );
});
