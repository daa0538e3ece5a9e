import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { fitWindow, readWindowState } from '../../src/main/shell/window-state.ts';
import { makeHome, writeContents } from '../harness/app/folders.ts';
import type { FakeMenuItem } from '../harness/fake-electron/desktop.ts';
import type { Bounds } from '../harness/fake-electron/window.ts';
import { startedApp, type StartOptions } from './started-app.ts';

const stateFile = (home: string) => join(home, 'userData', 'berth', 'window.json');

const remember = (home: string, text: string) => writeContents(home, { 'userData/berth/window.json': text });

it('the window is shown when its page is drawn, and is large enough for the page', async () => {
  const { fake } = await startedApp();
  expect(fake.window().options).toMatchObject({
    title: 'Berth',
    show: false,
    width: 1_040,
    height: 720,
    minWidth: 640,
    minHeight: 480,
  });
  expect(fake.window().options).not.toHaveProperty('x');
  await vi.waitFor(() => expect(fake.window().visible).toBe(true));
});

it('the window has the title bar of its system', async () => {
  expect((await startedApp({ platform: 'darwin' })).fake.window().options).toMatchObject({
    titleBarStyle: 'hiddenInset',
  });
  for (const platform of ['linux', 'win32'])
    expect((await startedApp({ platform })).fake.window().options).not.toHaveProperty('titleBarStyle');
});

it('the window reopens at its last place, and maximized if it was maximized', async () => {
  const home = makeHome();
  const firstApp = await startedApp({ home, tray: false });
  const window = firstApp.fake.window();
  const bounds = { x: 50, y: 60, width: 900, height: 700 };
  Object.assign(window, { bounds, maximized: true });
  window.close();
  await firstApp.fake.app.ended;
  expect(JSON.parse(readFileSync(stateFile(home), 'utf8'))).toStrictEqual({ ...bounds, maximized: true });
  expect(statSync(dirname(stateFile(home))).mode & 0o777).toBe(0o700);
  const { fake } = await startedApp({ home });
  expect(fake.window().options).toMatchObject(bounds);
  await vi.waitFor(() => expect(fake.window().maximized).toBe(true));
});

it.for([
  ['hidden', true],
  ['minimised', false],
] as const)('the window is maximized again when it is first shown after a start %s', async ([, tray]) => {
  const home = makeHome();
  remember(home, JSON.stringify({ x: 50, y: 60, width: 900, height: 700, maximized: true }));
  const hiddenApp = await startedApp({ home, tray, args: ['--hidden'] });
  await vi.waitFor(() => expect(hiddenApp.fake.window().minimized).toBe(!tray));
  expect(hiddenApp.fake.window().maximized).toBe(false);
  hiddenApp.fake.app.quit();
  await hiddenApp.fake.app.ended;
  expect(readWindowState(stateFile(home)).maximized).toBe(true);

  const startedHidden = await startedApp({ home, tray, args: ['--hidden'] });
  const window = startedHidden.fake.window();
  await vi.waitFor(() => expect(window.minimized).toBe(!tray));
  startedHidden.fake.app.emit('activate');
  expect(window.maximized).toBe(true);
  window.maximized = false;
  window.hide();
  startedHidden.fake.app.emit('activate');
  expect(window.maximized).toBe(false);
});

it('the window leaves full screen before it is hidden, because macOS would leave the screen black', async () => {
  const { fake } = await startedApp();
  const window = fake.window();
  await vi.waitFor(() => expect(window.visible).toBe(true));
  window.fullScreen = true;
  window.close();
  expect([window.fullScreen, window.visible]).toStrictEqual([false, true]);
  window.emit('leave-full-screen');
  expect(window.visible).toBe(false);
});

it('the system places the window if the display of the window is gone', async () => {
  const home = makeHome();
  remember(home, JSON.stringify({ x: 3_000, y: 100, width: 900, height: 700, maximized: false }));
  const withoutDisplay = await startedApp({ home });
  expect(withoutDisplay.fake.window().options).toMatchObject({ width: 900, height: 700 });
  expect(withoutDisplay.fake.window().options).not.toHaveProperty('x');
  const displays = [
    { x: 0, y: 0, width: 1920, height: 1080 },
    { x: 1920, y: 0, width: 1920, height: 1080 },
  ];
  const withDisplay = await startedApp({ home, displays });
  expect(withDisplay.fake.window().options).toMatchObject({ x: 3_000, y: 100 });
});

it.for([
  '',
  '{}',
  'null',
  '{"width":1e9,"height":1,"maximized":false}',
  '{"width":"900","height":700,"maximized":false}',
])('the window has its default size if its stored place is %s', (text) => {
  const home = makeHome();
  remember(home, text);
  expect(readWindowState(stateFile(home))).toStrictEqual({ width: 1_040, height: 720, maximized: false });
});

it('the window is always visible and movable, whatever its stored place and the displays', () => {
  const coordinate = fc.integer({ min: -5_000, max: 5_000 });
  const size = fc.integer({ min: -100, max: 9_000 });
  const [width, height] = [fc.integer({ min: 640, max: 4_000 }), fc.integer({ min: 480, max: 3_000 })];
  const displayArea = fc.record({ x: coordinate, y: coordinate, width, height });
  const state = fc.record({ x: coordinate, y: coordinate, width: size, height: size, maximized: fc.boolean() });
  fc.assert(
    fc.property(state, fc.array(displayArea, { minLength: 1, maxLength: 3 }), (state, areas) => {
      const { x, y, width, height } = fitWindow(state, areas);
      expect(width).toBeGreaterThanOrEqual(640);
      expect(height).toBeGreaterThanOrEqual(480);
      if (x === undefined || y === undefined) return;
      const isOn = (one: Bounds) => x + width > one.x && x < one.x + one.width && y >= one.y && y < one.y + one.height;
      expect(areas.some(isOn)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

it('the window has the background colour of its page before the page is drawn, even when it is opened again', async () => {
  const tokens = readFileSync(join(import.meta.dirname, '../../../../packages/ui/src/styles/tokens.css'), 'utf8');
  const [, light, dark] = /--ground: light-dark\((#\w+), (#\w+)\)/.exec(tokens)!;
  const { fake } = await startedApp();
  expect(fake.window().options['backgroundColor']).toBe(light);
  fake.theme.systemIsDark = true;
  fake.theme.emit('updated');
  expect(fake.window().backgroundColor).toBe(dark);
  fake.window().destroy();
  fake.app.emit('activate');
  expect(fake.window().options['backgroundColor']).toBe(dark);
});

it('a crashed page is reloaded automatically a limited number of times, and whenever the user opens the window', async () => {
  const { fake } = await startedApp();
  const { webContents } = fake.window();
  webContents.emit('render-process-gone', {}, { reason: 'clean-exit' });
  expect(webContents.reloads).toBe(0);
  for (let at = 0; at < 10; at += 1) webContents.emit('render-process-gone', {}, { reason: 'crashed' });
  expect(webContents.reloads).toBe(3);
  fake.app.emit('activate');
  expect(webContents.reloads).toBe(3);
  webContents.crashed = true;
  fake.app.emit('activate');
  expect(webContents.reloads).toBe(4);
});

it('the menu has shortcuts for all pages and actions; in a package, it can neither reload nor inspect the page', async () => {
  const flat = (items: readonly FakeMenuItem[] = []): FakeMenuItem[] =>
    items.flatMap((item) => [item, ...flat(item.submenu)]);
  const entries = async (options: StartOptions) => flat((await startedApp(options)).fake.menu()!.template);

  for (const platform of ['linux', 'win32', 'darwin']) {
    const items = await entries({ platform });
    const keys = items.flatMap(({ accelerator }) => accelerator ?? []);
    expect(keys.toSorted()).toStrictEqual(
      ['CmdOrCtrl+O', 'CmdOrCtrl+,', ...[1, 2, 3, 4, 5, 6].map((key) => `CmdOrCtrl+${key}`)].toSorted(),
    );
    const roles = items.flatMap(({ role }) => role ?? []);
    for (const role of ['undo', 'redo', 'cut', 'copy', 'paste', 'selectAll', 'close', 'quit'])
      expect(roles).toContain(role);
    for (const role of ['reload', 'forceReload', 'toggleDevTools', 'viewMenu']) expect(roles).not.toContain(role);
    expect(roles.includes('appMenu')).toBe(platform === 'darwin');
  }
  const roles = (await entries({ packaged: false })).flatMap(({ role }) => role ?? []);
  expect(roles).toContain('toggleDevTools');
});
