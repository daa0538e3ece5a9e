import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { PAGE_URL } from '../../src/main/shell/app-protocol.ts';
import { startApp } from '../../src/main/start.ts';
import type { Updates } from '../../src/main/shell/updates.ts';
import type { Update } from '../../src/shared/settings.ts';
import { choose, createFakeElectron, type FakeElectron } from '../harness/fake-electron.ts';
import { isPrevented } from '../harness/fake-electron/recorder.ts';
import { type SmallBackend, startedApp } from './started-app.ts';

it('the app makes all early calls before Electron is ready, and sets all protections before it loads the page (desktop §6)', async () => {
  const { fake } = await startedApp();
  const order = [
    'app.enableSandbox',
    'app.setDesktopName',
    'protocol.registerSchemesAsPrivileged',
    'app.requestSingleInstanceLock',
    'app.whenReady',
    'ready',
    'protocol.handle',
    'ipcMain.handle',
    'new BrowserWindow',
    'window.loadURL',
    'openBackend',
  ];
  expect([...new Set(fake.recorder.names())].filter((name) => order.includes(name))).toStrictEqual(order);
});

it('the app makes synchronously the calls that Electron requires before Electron is ready', () => {
  const neverResolved = new Promise<void>(() => {});
  const fake = createFakeElectron({ home: '/nowhere', ready: neverResolved });
  void startApp(fake.electron, {
    dist: '/nowhere',
    openBackend: () => Promise.reject(new Error('It is not ready')),
    process: { ...process, cwd: () => '/', platform: 'linux', resourcesPath: '/nowhere', on: () => {}, off: () => {} },
  });
  expect(fake.recorder.names()).toStrictEqual([
    'app.enableSandbox',
    'app.setDesktopName',
    'protocol.registerSchemesAsPrivileged',
    'app.requestSingleInstanceLock',
    'app.whenReady',
  ]);
});

it('the app registers its scheme as standard and secure, without other privileges (desktop §6)', async () => {
  const { fake } = await startedApp();
  const privileges = {
    standard: true,
    secure: true,
    supportFetchAPI: false,
    allowServiceWorkers: false,
    bypassCSP: false,
    corsEnabled: false,
    codeCache: true,
  };
  const schemes = [{ scheme: 'berth-app', privileges }];
  expect(fake.recorder.of('protocol.registerSchemesAsPrivileged')).toStrictEqual([[schemes]]);
  expect(fake.recorder.of('window.loadURL')).toStrictEqual([[PAGE_URL]]);
});

it('the app runs its page in a sandbox without Node (desktop §6)', async () => {
  const { fake, dist } = await startedApp();
  expect(fake.window().options['webPreferences']).toStrictEqual({
    preload: join(dist, 'preload', 'index.cjs'),
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    webviewTag: false,
    plugins: false,
    navigateOnDragDrop: false,
    spellcheck: false,
  });
});

it('the app blocks every navigation, redirect, new window and view, whatever the address (desktop §6)', async () => {
  const { fake } = await startedApp();
  const { webContents } = fake.window();
  for (const event of ['will-navigate', 'will-redirect', 'will-frame-navigate', 'will-attach-webview'])
    expect([event, isPrevented(webContents, event, { url: PAGE_URL })]).toStrictEqual([event, true]);
  expect(webContents.openHandler?.({ url: PAGE_URL })).toStrictEqual({ action: 'deny' });
});

it('the app refuses every permission, device, screen capture, download and foreign request (desktop §6)', async () => {
  const { fake } = await startedApp();
  const { session } = fake;
  for (const permission of ['media', 'geolocation', 'notifications', 'clipboard-read', 'fullscreen', 'openExternal']) {
    expect(session.grants(permission)).toBe(false);
    expect(session.permissionCheck?.(null, permission, PAGE_URL)).toBe(false);
  }
  expect(session.devicePermission?.({ deviceType: 'usb' })).toBe(false);
  const capture = vi.fn<(streams: unknown) => void>();
  session.displayMedia?.({}, capture);
  expect(capture.mock.calls).toStrictEqual([[null]]);
  expect(isPrevented(session, 'will-download')).toBe(true);
  expect(session.spellChecker).toBe(false);
  for (const url of ['https://example.com/', 'http://localhost:4000/', 'file:///etc/passwd', 'berth-app://other/'])
    expect([url, session.fetches(url)]).toStrictEqual([url, false]);
  expect(session.fetches(PAGE_URL)).toBe(true);
  expect(session.fetches('data:image/png;base64,AAAA')).toBe(true);
});

it('the app runs as a single instance: a second instance passes on its arguments and exits (desktop §8.24)', async () => {
  const secondApp = await startedApp({ first: false });
  expect(secondApp.fake.recorder.names()).not.toContain('app.whenReady');
  expect(secondApp.fake.app.exitCode).toBe(0);

  const { fake, backend } = await startedApp();
  const window = fake.window();
  window.hide();
  fake.app.emit('second-instance', {}, ['/opt/Berth/berth'], '/home/me');
  expect(window.visible).toBe(true);
  window.minimize();
  fake.app.emit('second-instance', {}, ['/opt/Berth/berth', '--some-switch', 'site'], '/home/me');
  await vi.waitFor(() => expect(backend.asked.map(({ name }) => name)).toContain('publish'));
  expect(backend.given).toStrictEqual([['/home/me/site']]);
  expect(window.minimized).toBe(false);
  expect(window.focused).toBe(true);
});

it('the app publishes the folders in its arguments', async () => {
  const { backend } = await startedApp({ args: ['/home/me/site'] });
  await vi.waitFor(() => expect(backend.asked.map(({ name }) => name)).toContain('publish'));
  expect(backend.given).toStrictEqual([['/home/me/site']]);
});

it('the app publishes folders that macOS opens with it, even before the app is ready', async () => {
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  const created = ({ app }: FakeElectron) =>
    void setImmediate(() => {
      expect(isPrevented(app, 'open-file', '/home/me/site')).toBe(true);
      resolve();
    });
  const { backend } = await startedApp({ platform: 'darwin', ready, created });
  await vi.waitFor(() => expect(backend.given).toStrictEqual([['/home/me/site']]));
});

it('the app reports an error if a folder in its arguments cannot be read', async () => {
  const prepareBackend = (backend: SmallBackend) => void (backend.give = async () => []);
  const { fake } = await startedApp({ args: ['/home/me/gone'], prepare: prepareBackend });
  await fake.invoke('berth:readState');
  const { sent } = fake.window().webContents;
  const problem = { kind: 'folder', message: '/home/me/gone cannot be read. Nothing was published.' };
  await vi.waitFor(() => expect(sent).toMatchObject([['berth:on:problem', { problem }]]));
});

it('the app queues the target of a link until the page listens, and shows the target once', async () => {
  const { fake } = await startedApp({ args: ['berth://show/sites'] });
  const { sent } = fake.window().webContents;
  expect(sent).toStrictEqual([]);
  await fake.invoke('berth:readState');
  await vi.waitFor(() => expect(sent).toStrictEqual([['berth:on:navigate', { page: 'sites' }]]));
  isPrevented(fake.app, 'open-url', 'berth://add-server?address=https://sites.example');
  expect(sent[1]).toStrictEqual(['berth:on:navigate', { page: 'settings', server: 'https://sites.example' }]);
});

it('the app shows an error for an invalid link and does nothing else', async () => {
  const { fake, backend } = await startedApp();
  await fake.invoke('berth:readState');
  backend.asked.splice(0);
  isPrevented(fake.app, 'open-url', 'berth://publish?path=/etc');
  const { sent } = fake.window().webContents;
  await vi.waitFor(() => expect(sent).toStrictEqual([['berth:on:problem', expect.anything()]]));
  expect(backend.asked).toStrictEqual([]);
  expect(backend.given).toStrictEqual([]);
});

it('the app registers for links of its scheme only if it is installed', async () => {
  expect((await startedApp()).fake.recorder.of('app.setAsDefaultProtocolClient')).toStrictEqual([['berth']]);
  expect((await startedApp({ packaged: false })).fake.recorder.of('app.setAsDefaultProtocolClient')).toStrictEqual([]);
});

it('the app stops running work once before it quits (desktop §8.21)', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { fake, backend } = await startedApp();
  backend.closing = promise;
  fake.app.quit();
  fake.app.quit();
  await vi.waitFor(() => expect(backend.closes).toBe(1));
  expect(fake.app.exitCode).toBeNull();
  resolve();
  expect(await fake.app.ended).toBe(0);
  expect(backend.closes).toBe(1);
});

it('the app quits even if stopping the work fails', async () => {
  const { fake, backend } = await startedApp();
  backend.close = () => Promise.reject(new Error('The disk is full'));
  fake.app.quit();
  expect(await fake.app.ended).toBe(0);
});

it('the app quits after a few seconds even if running work does not stop', async () => {
  const { fake, backend } = await startedApp();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  backend.closing = new Promise(() => {});
  fake.app.quit();
  await vi.advanceTimersByTimeAsync(4_999);
  expect(fake.app.exitCode).toBeNull();
  await vi.advanceTimersByTimeAsync(1);
  expect(fake.app.exitCode).toBe(0);
});

it('the app stops running work when the machine shuts down', async () => {
  const { fake, backend } = await startedApp();
  expect(isPrevented(fake.power, 'shutdown')).toBe(true);
  expect(await fake.app.ended).toBe(0);
  expect(backend.closes).toBe(1);
});

it('the app stays in the tray when its window is closed, and quits if there is no tray (desktop §8.24)', async () => {
  const appWithTray = await startedApp();
  appWithTray.fake.window().close();
  expect(appWithTray.fake.window().visible).toBe(false);
  expect(appWithTray.fake.app.exitCode).toBeNull();

  const appWithoutTray = await startedApp({ tray: false });
  expect(appWithoutTray.backend.options.about.tray).toBe(false);
  expect(appWithoutTray.fake.trays).toStrictEqual([]);
  appWithoutTray.fake.window().close();
  expect(await appWithoutTray.fake.app.ended).toBe(0);
  expect(appWithoutTray.backend.closes).toBe(1);
});

it('the app quits when its window is closed and closeToTray is off', async () => {
  const { fake, backend } = await startedApp();
  backend.options.emit('settings', { ...backend.settings, closeToTray: false });
  fake.window().close();
  expect(await fake.app.ended).toBe(0);

  const appQuittingOnClose = await startedApp({
    prepare: (made) => (made.settings = { ...made.settings, closeToTray: false }),
  });
  appQuittingOnClose.fake.window().close();
  expect(await appQuittingOnClose.fake.app.ended).toBe(0);
});

it('the app starts hidden at login, or minimized if there is no tray (desktop §8.24)', async () => {
  const hiddenApp = await startedApp({ args: ['--hidden'] });
  await Promise.resolve();
  expect(hiddenApp.fake.window().visible).toBe(false);
  const macApp = await startedApp({ platform: 'darwin', openedAtLogin: true });
  await Promise.resolve();
  expect(macApp.fake.window().visible).toBe(false);
  const appWithoutTray = await startedApp({ args: ['--hidden'], tray: false });
  await vi.waitFor(() => expect(appWithoutTray.fake.window().minimized).toBe(true));
  const startedVisible = await startedApp();
  await vi.waitFor(() => expect(startedVisible.fake.window().visible).toBe(true));
});

it('the app waits longer for a tray if it starts at login', async () => {
  const waitsMs: number[] = [];
  const hasTray = async (asked: number) => waitsMs.push(asked) > 0;
  await startedApp({ options: { hasTray } });
  await startedApp({ options: { hasTray }, args: ['--hidden'] });
  expect(waitsMs).toStrictEqual([1, 10]);
});

it('the app does not quit when an update closes the windows, because the update quits the app itself', async () => {
  const updates: Updates = {
    start: (onUpdate) => onUpdate({ is: 'ready', version: '2.0.0' }),
    // On macOS, the updater closes all windows before it quits the app.
    restart: () => fake.window().close(),
  };
  const { fake, backend } = await startedApp({ options: { updates } });
  expect(backend.closes).toBe(0);
  backend.options.native.restartToUpdate();
  await vi.waitFor(() => expect(fake.windows.every((window) => window.isDestroyed())).toBe(true));
  expect(backend.closes).toBe(1);
  expect(fake.recorder.names()).not.toContain('app.quit');
});

it('the app scans watched folders when the window comes to the front and when the machine wakes up (D7)', async () => {
  const { fake, backend } = await startedApp();
  await vi.waitFor(() => expect(fake.window().visible).toBe(true));
  // The folders are scanned at the start anyway.
  expect(backend.wakes).toBe(0);
  fake.power.emit('resume');
  fake.power.emit('unlock-screen');
  expect(backend.wakes).toBe(2);
  fake.window().focus();
  await vi.waitFor(() => expect(backend.wakes).toBe(3));
  fake.app.quit();
  await fake.app.ended;
  fake.power.emit('resume');
  fake.power.emit('unlock-screen');
  expect(backend.wakes).toBe(3);
});

it('the app notices when the network is lost and restored (desktop §8.25)', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { fake, backend } = await startedApp();
  expect(backend.online).toStrictEqual([true]);
  fake.machine.online = false;
  vi.advanceTimersByTime(10_000);
  expect(backend.online).toStrictEqual([true, false]);
  fake.machine.online = true;
  vi.advanceTimersByTime(10_000);
  expect(backend.online).toStrictEqual([true, false, true]);
});

it('the app reports updates, and restarts only when an update is ready and running work has stopped', async () => {
  const start = vi.fn<Updates['start']>();
  const steps: string[] = [];
  const recordRestart = () => void steps.push(`restarted, ${backend.closes} closed`);
  const { backend, fake } = await startedApp({ options: { updates: { start, restart: recordRestart } } });
  backend.options.native.restartToUpdate();
  const update: Update = { is: 'ready', version: '2.0.0' };
  start.mock.calls[0]![0](update);
  expect(fake.window().webContents.sent.at(-1)).toStrictEqual(['berth:on:update', update]);
  expect(backend.closes).toBe(0);
  backend.options.native.restartToUpdate();
  await vi.waitFor(() => expect(steps).toStrictEqual(['restarted, 1 closed']));
});

it('the app shows why it cannot start, and exits', async () => {
  const { fake } = await startedApp({
    options: { openBackend: () => Promise.reject(new Error('The folder of the app cannot be read')) },
  });
  expect(fake.recorder.of('dialog.showErrorBox')).toStrictEqual([
    ['Berth cannot start', 'The folder of the app cannot be read'],
  ]);
  expect(fake.app.exitCode).toBe(1);
});

it('the app passes the calls of the backend to the system, and each dialog says what it is for (B4)', async () => {
  const { fake, backend } = await startedApp();
  const { native } = backend.options;
  await native.copyText('https://a.example');
  await native.openExternal('https://a.example/');
  native.showFolder('/home/me/site');
  native.setTheme('dark');
  expect(fake.machine.clipboard).toBe('https://a.example');
  expect(fake.recorder.of('shell.openExternal')).toStrictEqual([['https://a.example/']]);
  expect(fake.recorder.of('shell.showItemInFolder')).toStrictEqual([['/home/me/site']]);
  expect(fake.theme.themeSource).toBe('dark');
  expect(await native.pickFolder('publish')).toBeNull();
  fake.machine.chosen = ['/home/me/site'];
  expect(await native.pickFolder('watch')).toBe('/home/me/site');
  expect(await native.pickFolder('locate')).toBe('/home/me/site');
  expect(await native.pickFiles()).toStrictEqual(['/home/me/site']);
  const dialogs = [
    ['Publish a folder', 'Publish', ['openDirectory']],
    ['Watch a folder', 'Choose', ['openDirectory']],
    ['Find the folder that was moved', 'Choose', ['openDirectory']],
    ['Publish files', 'Publish', ['openFile', 'multiSelections']],
  ] as const;
  const options = dialogs.map(([title, buttonLabel, properties]) => [
    expect.objectContaining({ title, message: title, buttonLabel, properties }),
  ]);
  expect(fake.recorder.of('dialog.showOpenDialog')).toStrictEqual(options);
});

it('the menu publishes a folder, and its keyboard shortcuts show the pages', async () => {
  const { fake, backend } = await startedApp();
  await fake.invoke('berth:readState');
  backend.answers.set('pickFolder', async () => ({ grant: 'f'.repeat(32), name: 'site', kind: 'folder' }));
  choose(fake.menu(), '&File', 'Publish folder…');
  await vi.waitFor(() =>
    expect(backend.asked.at(-1)).toStrictEqual({ name: 'publish', input: { grants: ['f'.repeat(32)] } }),
  );
  choose(fake.menu(), '&View', 'Domains');
  await vi.waitFor(() => expect(fake.window().webContents.sent.at(-1)?.[1]).toStrictEqual({ page: 'domains' }));
});
