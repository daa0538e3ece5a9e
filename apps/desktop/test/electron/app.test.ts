import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { startProxy } from '@berth/testing/proxy';
import { useServer } from '@berth/testing/use-server';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { MEMORY_FLAGS } from '../../src/main/memory.ts';
import { DROP_PAGE_URL, PAGE_URL } from '../../src/main/shell/app-protocol.ts';
import type { DesktopApi } from '../../src/shared/contract.ts';
import { makeHome, makeSite, rebuild } from '../harness/app/folders.ts';
import { deploymentsOf, stallUploads } from '../harness/app/suite.ts';
import { compileApp, ELECTRON, launchOptions, NO_ELECTRON, type StartedApp, startElectron } from './started-app.ts';

const PATIENCE = 20_000;

if (NO_ELECTRON !== null) process.stderr.write(`The tests with Electron are skipped: ${NO_ELECTRON}.\n`);

describe.skipIf(NO_ELECTRON !== null)('the app in Electron (desktop §3)', () => {
  const server = useServer();
  let app: string;
  beforeAll(async () => void (app = await compileApp()));
  afterAll(() => rm(app, { recursive: true, force: true }));

  const address = () => `http://localhost:${server().port}`;
  const signedIn = async () => {
    const home = makeHome();
    const { key } = await server().account();
    const startedApp = await startElectron(app, home);
    await startedApp.signIn(address(), key);
    return { ...startedApp, home, key };
  };

  it('the window loads its page from the app’s scheme, with `window.desktop` and without Node (desktop §6, R16)', async () => {
    const { page } = await startElectron(app, makeHome());
    expect(page.url()).toBe(PAGE_URL);
    expect(await page.title()).toBe('Berth');
    await page.locator('#root > *').first().waitFor();
    const pageState = await page.evaluate(() => ({
      desktop: Object.keys((window as unknown as { desktop: DesktopApi }).desktop).toSorted(),
      node: ['require', 'process', 'module', 'Buffer', 'global'].filter((name) => name in globalThis),
      secure: isSecureContext,
    }));
    expect(pageState).toEqual({ desktop: ['commands', 'events', 'grant'], node: [], secure: true });
  });

  it('the window runs in a sandbox (desktop §6)', async () => {
    const { electron } = await startElectron(app, makeHome());
    const settings = await electron.evaluate(({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows();
      // Electron's types lack this function, which returns the applied options.
      const { webContents } = window as unknown as {
        webContents: { getLastWebPreferences(): Record<string, unknown> };
      };
      const { sandbox, contextIsolation, nodeIntegration, webSecurity } = webContents.getLastWebPreferences();
      return { sandbox, contextIsolation, nodeIntegration, webSecurity };
    });
    expect(settings).toEqual({ sandbox: true, contextIsolation: true, nodeIntegration: false, webSecurity: true });
  });

  it('the window opens with --no-sandbox, which an AppImage uses where the system allows no sandbox (R1)', async () => {
    const { page } = await startElectron(app, makeHome(), (args) => ['--no-sandbox', ...args]);
    await page.locator('#root > *').first().waitFor();
  });

  it('commands of the page are answered (R15)', async () => {
    const { ask } = await startElectron(app, makeHome());
    expect((await ask('readState')).about.version).toMatch(/^[\d.]+$/);
  });

  it('the window loads its page before the engine is ready (R6)', async () => {
    const home = makeHome();
    await (await startElectron(app, home)).ask('readState');
    const log = readFileSync(join(home, 'logs', 'berth.log'), 'utf8');
    expect(log).toMatch(/The window loads its page[\s\S]+The engine is ready/);
  });

  it('the page cannot fetch, turn text into markup or script, or open a frame or window (desktop §6)', async () => {
    const { electron, page } = await startElectron(app, makeHome());
    const attempts = await page.evaluate(async (url) => {
      const outcome = async (attempt: () => unknown) => {
        try {
          await attempt();
          return 'done';
        } catch {
          return 'refused';
        }
      };
      return {
        fetch: await outcome(() => fetch(url)),
        markup: await outcome(() => (document.createElement('p').innerHTML = '<b>markup</b>')),
        script: await outcome(() => new Function('return 1')()),
        window: window.open(url) === null ? 'refused' : 'done',
      };
    }, address());
    expect(attempts).toEqual({ fetch: 'refused', markup: 'refused', script: 'refused', window: 'refused' });

    await page.evaluate((url) => {
      const frame = document.createElement('iframe');
      frame.src = url;
      document.body.append(frame);
      location.href = url;
    }, address());
    // Electron handles requests in order, so all earlier requests have been decided once this request returns.
    expect(await electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
    expect(page.url()).toBe(PAGE_URL);
    expect(page.frames().filter((frame) => frame.url().startsWith('http'))).toEqual([]);
  });

  it('a folder that is picked in the dialog gets a working link, so the threads of the engine run (desktop §8.2, R8)', async () => {
    const startedApp = await signedIn();
    const folderGrant = await startedApp.pick(makeSite('chosen', { 'index.html': 'chosen' }));
    await startedApp.ask('publish', { grants: [folderGrant] });
    expect((await server().visit(await linkOf(startedApp, 'chosen'))).text).toBe('chosen');
  });

  it('a second start passes its folder to the first instance and exits, as “Open with” does (desktop §8.24, R10)', async () => {
    const startedApp = await signedIn();
    const folder = makeSite('handed', { 'index.html': 'handed over' });
    const { args, env } = launchOptions(app, startedApp.home, [folder]);
    await once(spawn(ELECTRON, args, { env, stdio: 'ignore' }), 'exit');
    expect((await server().visit(await linkOf(startedApp, 'handed'))).text).toBe('handed over');
  });

  it('a folder that is dropped on the window gets a working link (desktop §8.1)', async () => {
    const startedApp = await signedIn();
    const folder = makeSite('dropped', { 'index.html': 'dropped' });
    const session = await startedApp.electron.context().newCDPSession(startedApp.page);
    const data = { items: [], files: [folder], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await session.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data });
    expect((await server().visit(await linkOf(startedApp, 'dropped'))).text).toBe('dropped');
  });

  it('a link to the app, which the system passes to a second start, shows its page (R14)', async () => {
    const startedApp = await signedIn();
    const { args, env } = launchOptions(app, startedApp.home, ['berth://folders']);
    await once(spawn(ELECTRON, args, { env, stdio: 'ignore' }), 'exit');
    await startedApp.page.getByRole('heading', { name: 'Folders', exact: true }).waitFor();
  });

  it('a file that is called like an archive of Electron is published as it is (R18)', async () => {
    const startedApp = await signedIn();
    const folderGrant = await startedApp.pick(makeSite('archive', { 'index.html': 'page', 'a.asar': 'no archive' }));
    await startedApp.ask('publish', { grants: [folderGrant] });
    const url = await linkOf(startedApp, 'archive');
    expect((await server().visit(`${url}/a.asar`)).text).toBe('no archive');
  });

  it('the system does not suspend the app while it publishes (R9)', async () => {
    const startedApp = await signedIn();
    const { electron } = startedApp;
    await electron.evaluate(({ app, powerSaveBlocker }) => {
      const { start } = powerSaveBlocker;
      powerSaveBlocker.start = (type) => {
        const blocker = start(type);
        Object.assign(app, { blocker, wasStarted: powerSaveBlocker.isStarted(blocker) });
        return blocker;
      };
    });
    const folderGrant = await startedApp.pick(makeSite('awake', { 'index.html': 'awake' }));
    await startedApp.ask('publish', { grants: [folderGrant] });
    await linkOf(startedApp, 'awake');
    const read = () =>
      electron.evaluate(({ app, powerSaveBlocker }) => {
        const { blocker, wasStarted } = app as unknown as { blocker: number; wasStarted: boolean };
        return { wasStarted, isStarted: powerSaveBlocker.isStarted(blocker) };
      });
    await vi.waitFor(async () => expect(await read()).toEqual({ wasStarted: true, isStarted: false }), PATIENCE);
  });

  it.runIf(process.platform === 'linux')('from its sources, the app has a profile of its own (R11)', async () => {
    const withoutProfile = (args: string[]) => args.filter((arg) => !arg.startsWith('--user-data-dir'));
    const { electron } = await startElectron(app, makeHome(), withoutProfile);
    expect(await electron.evaluate(({ app }) => app.getPath('userData'))).toMatch(/-development$/);
  });

  it('the updater can be loaded (desktop §2)', async () => {
    const { electron } = await startElectron(app, makeHome());
    const chunks = join(app, 'dist/main/assets');
    const name = readdirSync(chunks).find((file) =>
      readFileSync(join(chunks, file), 'utf8').includes('quitAndInstall'),
    );
    const hasUpdater = await electron.evaluate(
      (_electron, path) => 'autoUpdater' in process.getBuiltinModule('node:module').createRequire(path)(path),
      join(chunks, name!),
    );
    expect(hasUpdater).toBe(true);
  });

  it('a watched folder shows its next build at the same address (desktop §5)', async () => {
    const startedApp = await signedIn();
    const folder = makeSite('dist', { 'index.html': 'build 0' });
    const folderGrant = await startedApp.pick(folder);
    await startedApp.ask('watch', { of: { grant: folderGrant }, domain: 'watched-in-electron', labels: [] });
    const liveUrl = async (text: string) => {
      const [watched] = (await startedApp.ask('readState')).folders;
      expect(watched?.state.is).toBe('live');
      expect((await server().visit(watched!.url!)).text).toBe(text);
      return watched!.url;
    };
    const url = await vi.waitFor(() => liveUrl('build 0'), PATIENCE);
    rebuild(folder, { 'index.html': 'build 1' });
    expect(await vi.waitFor(() => liveUrl('build 1'), PATIENCE)).toBe(url);
  });

  it('an upload that is interrupted by a quit is published once after the next start (desktop §8.6)', async () => {
    const { key } = await server().account();
    const proxy = await startProxy(server().port);
    const home = makeHome();
    const firstApp = await startElectron(app, home);
    await firstApp.signIn(proxy.url, key);
    const { stalled, resume } = stallUploads(proxy);
    const folderGrant = await firstApp.pick(
      makeSite('large', { 'index.html': 'all of it', 'film.bin': randomBytes(3_000_000) }),
    );
    await firstApp.ask('watch', { of: { grant: folderGrant }, domain: 'quit-while-sending', labels: [] });
    await stalled;
    await firstApp.quit();
    resume();

    const secondApp = await startElectron(app, home);
    const { session } = await secondApp.ask('readState');
    // A key is lost when the app quits if the system cannot store keys.
    if (session.keysKept === 'memory') await secondApp.signIn(proxy.url, key);
    await vi.waitFor(
      async () => expect((await secondApp.ask('readState')).folders[0]?.state.is).toBe('live'),
      PATIENCE,
    );
    expect(await deploymentsOf(server(), key)).toHaveLength(1);
  });

  it('a key is stored encrypted by the system, or in memory if the app reports this, and in no file as plain text (T40, R4, R5)', async () => {
    const startedApp = await signedIn();
    // The app knows where keys are kept once the key store has answered.
    const isProtected = (await startedApp.ask('readState')).session.keysKept === 'system';
    await startedApp.quit();
    const holding = readdirSync(startedApp.home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => readFileSync(file).includes(startedApp.key));
    expect(holding).toEqual([]);
    const restartedApp = await startElectron(app, startedApp.home);
    const signIns = (await restartedApp.ask('readState')).session.servers.map(({ signIn }) => signIn.is);
    expect(signIns.some((is) => is !== 'signed-out')).toBe(isProtected);
  });

  it('requests to a server use the proxy of the system (R3)', async () => {
    const hosts: string[] = [];
    const proxy = createServer((req, res) => {
      const { hostname, pathname, search } = new URL(req.url!);
      hosts.push(hostname);
      const { method, headers } = req;
      const forwarded = request({
        port: server().port,
        path: pathname + search,
        method,
        headers: { ...headers, host: 'localhost' },
      });
      forwarded.once('response', (answer) => answer.pipe(res.writeHead(answer.statusCode!, answer.headers)));
      req.pipe(forwarded);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    onTestFinished(() => void proxy.close());
    const { electron, ask } = await startElectron(app, makeHome());
    const { port } = proxy.address() as AddressInfo;
    await electron.evaluate(
      ({ session }, proxyRules) => session.fromPartition('servers', { cache: false }).setProxy({ proxyRules }),
      `127.0.0.1:${port}`,
    );
    await ask('addServer', { address: 'http://berth.test' });
    expect(hosts).toContain('berth.test');
  });

  it('a right click on a field shows a menu with Paste (R7)', async () => {
    const { electron, page } = await startElectron(app, makeHome());
    await page.locator('#root > *').first().waitFor();
    const roles = await electron.evaluate(async ({ BrowserWindow, Menu }) => {
      const shown = new Promise<(string | undefined)[]>((resolve) => {
        const { buildFromTemplate } = Menu;
        Menu.buildFromTemplate = (template) => {
          resolve(template.map(({ role }) => role));
          return buildFromTemplate(template);
        };
      });
      const editFlags = {
        canUndo: false,
        canRedo: false,
        canCut: true,
        canCopy: true,
        canPaste: true,
        canSelectAll: true,
      };
      const params = { isEditable: true, linkURL: '', selectionText: '', editFlags };
      BrowserWindow.getAllWindows()[0]!.webContents.emit('context-menu', {}, params);
      return shown;
    });
    expect(roles).toContain('paste');
  });

  it('V8 knows the flags that bound the memory (R17)', async () => {
    const { electron } = await startElectron(app, makeHome());
    let output = '';
    electron.process().stderr?.on('data', (chunk: Buffer) => (output += String(chunk)));
    await electron.evaluate((_electron, flags) => {
      const { setFlagsFromString } = process.getBuiltinModule('node:v8');
      for (const flag of [...flags, '--no-such-flag']) setFlagsFromString(flag);
    }, MEMORY_FLAGS);
    await vi.waitFor(() => expect(output).toContain('--no-such-flag'), PATIENCE);
    for (const flag of MEMORY_FLAGS) expect(output).not.toContain(flag);
  });

  it('the icons of the tray are found in all their sizes (R13)', async () => {
    const { electron } = await startElectron(app, makeHome());
    const path = join(app, 'dist/assets/tray', process.platform === 'linux' ? 'idleLarge.png' : 'idle.png');
    const image = await electron.evaluate(({ nativeImage }, icon) => {
      const loaded = nativeImage.createFromPath(icon);
      return { width: loaded.getSize().width, factors: loaded.getScaleFactors() };
    }, path);
    expect(image).toEqual({
      width: process.platform === 'linux' ? 24 : 16,
      factors: process.platform === 'linux' ? [1, 2] : [1, 1.25, 1.5, 2],
    });
  });

  it('the page of the drop window loads with the protections of the main window (desktop §6)', async () => {
    const { electron } = await startElectron(app, makeHome());
    const opened = electron.waitForEvent('window');
    await electron.evaluate(({ BrowserWindow }, url) => {
      const [main] = BrowserWindow.getAllWindows();
      const { webContents } = main as unknown as {
        webContents: { getLastWebPreferences(): Electron.WebPreferences };
      };
      void new BrowserWindow({ webPreferences: webContents.getLastWebPreferences() }).loadURL(url);
    }, DROP_PAGE_URL);
    const page = await opened;
    await page.waitForFunction(() => 'desktop' in window);
    await page.getByText('Berth').first().waitFor();
  });

  it('the log names the start of the app (R12)', async () => {
    const { home } = await signedIn();
    expect(readFileSync(join(home, 'logs', 'berth.log'), 'utf8')).toMatch(/info Berth [\d.]+ starts on /);
  });

  it('closing the window keeps the app running if there is a tray, and quits it otherwise (desktop §8.24)', async () => {
    const startedApp = await startElectron(app, makeHome());
    const { about } = await startedApp.ask('readState');
    const processExit = once(startedApp.electron.process(), 'exit');
    await startedApp.electron.evaluate(
      ({ BrowserWindow }) => void setImmediate(() => BrowserWindow.getAllWindows()[0]?.close()),
    );
    if (!about.tray) return void (await processExit);
    const isVisible = () =>
      startedApp.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible());
    await vi.waitFor(async () => expect(await isVisible()).toBe(false), PATIENCE);
    expect(startedApp.electron.process().exitCode).toBe(null);
  });
});

/** Waits until a folder is published. @returns The link of the site. */
async function linkOf({ ask }: StartedApp, name: string): Promise<string> {
  return vi.waitFor(async () => {
    const { publishings } = await ask('readState');
    const state = publishings.find((one) => one.name === name)?.state;
    if (state?.is !== 'published') throw new Error(`${name} is ${state?.is ?? 'not there'}`);
    return state.published.url;
  }, PATIENCE);
}
