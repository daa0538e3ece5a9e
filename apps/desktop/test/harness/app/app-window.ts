import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import type { MainProcess } from './main-process.ts';

/** The origin that replaces the app's own scheme, which plain Chromium does not support. */
export const ORIGIN = 'https://window.localhost';

/** Selects the zone that the window highlights while files are dragged over it. */
const ACTIVE_ZONE = '.drop-zone.is-active, .drop-window-zone.is-active';
const POLL = { timeout: 60_000 };

/** A window of the app, as a page in Chromium with the real preload. */
export interface AppWindow {
  page: Page;
  /** Addresses outside the app that the page requested because its security policy did not block them. */
  foreign: string[];
  load(): Promise<void>;
  /** Sends a message to the preload. */
  send(channel: string, data: unknown): void;
  /** Drops files or folders on one half of the window. */
  drop(paths: readonly string[], half: 'left' | 'right'): Promise<void>;
  close(): Promise<void>;
}

/** What the fake `electron` of the preload offers to the test. */
interface Boundary {
  /** Delivers a message from the main process to the page. */
  receive(channel: string, data: unknown): void;
  /** Sets the paths of the files that are dropped next. */
  drop(paths: readonly string[]): void;
}

declare global {
  interface Window {
    boundary: Boundary;
    callMain(channel: string, input: unknown): Promise<unknown>;
  }
}

export interface AppWindowOptions extends BrowserContextOptions {
  /** The folder of the compiled app. */
  dist: string;
  /** Receives the faults of the page, such as console errors, script errors, policy violations and refused requests. */
  faults: string[];
}

/** Opens a window without loading the page. */
export async function openAppWindow(
  browser: Browser,
  main: MainProcess,
  { dist, faults, ...options }: AppWindowOptions,
): Promise<AppWindow> {
  const context = await browser.newContext({ reducedMotion: 'reduce', viewport: main.size, ...options });
  const { protocol, host, pathname } = new URL(main.address);
  const foreignRequests: string[] = [];
  const answer = async (route: Route): Promise<void> => {
    const url = route.request().url();
    if (!url.startsWith(`${ORIGIN}/`)) {
      foreignRequests.push(url);
      return route.abort('blockedbyclient');
    }
    const address = url.replace(ORIGIN, `${protocol}//${host}`);
    const response = await main.serve(address, await route.request().allHeaders());
    if (!response.ok) faults.push(`${address} was answered ${response.status}`);
    return fulfillWith(route, response);
  };
  await context.route('**/*', (route) => answer(route).catch(ignoreClosed));
  await context.exposeBinding('callMain', (_page, channel: string, input: unknown) => main.invoke(channel, input));
  const preload = await readFile(join(dist, 'preload/index.cjs'), 'utf8');
  await context.addInitScript({
    content: `(${String(runPreload)})((require) => { const exports = {};\n${preload}\n});`,
  });

  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(String(error)));
  const cdp = await context.newCDPSession(page);
  return {
    page,
    foreign: foreignRequests,
    load: async () => void (await page.goto(`${ORIGIN}${pathname}`)),
    send: (channel, data) =>
      void page
        .evaluate(([channel, data]) => window.boundary.receive(channel, data), [channel, data] as const)
        .catch(ignoreClosed),
    async drop(paths, half) {
      await page.evaluate((paths) => window.boundary.drop(paths), paths);
      const { width, height } = page.viewportSize()!;
      const [x, y] = [half === 'left' ? width / 4 : (width * 3) / 4, height / 2];
      const data = { items: [], files: [...paths], dragOperationsMask: 1 };
      const drag = (type: 'dragEnter' | 'dragOver' | 'drop') =>
        cdp.send('Input.dispatchDragEvent', { type, x, y, data });
      await drag('dragEnter');
      // A window that has just loaded ignores files until the app has read its state.
      await expect.poll(() => drag('dragOver').then(() => page.locator(ACTIVE_ZONE).isVisible()), POLL).toBe(true);
      await drag('drop');
    },
    close: () => context.close(),
  };
}

/** Answers a request of the page with a response of the app. */
export async function fulfillWith(route: Route, response: Response): Promise<void> {
  await route.fulfill({
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: Buffer.from(await response.arrayBuffer()),
  });
}

/** Runs the preload with a fake `electron`. This function runs in the page, so it cannot use variables of this file. */
function runPreload(preload: (require: (name: string) => unknown) => void): void {
  type Listener = (event: unknown, data: unknown) => void;
  if (window !== window.top) return;
  const listeners = new Map<string, Set<Listener>>();
  let droppedPaths: readonly string[] = [];
  window.boundary = {
    receive: (channel, data) => listeners.get(channel)?.forEach((listener) => listener({}, data)),
    drop: (paths) => void (droppedPaths = paths),
  };
  const electron = {
    contextBridge: { exposeInMainWorld: (name: string, value: unknown) => Object.assign(window, { [name]: value }) },
    ipcRenderer: {
      invoke: async (channel: string, input: unknown) => window.callMain(channel, structuredClone(input)),
      on: (channel: string, listener: Listener) =>
        listeners.set(channel, (listeners.get(channel) ?? new Set()).add(listener)),
      off: (channel: string, listener: Listener) => listeners.get(channel)?.delete(listener),
    },
    webUtils: {
      /** Returns `''` for a file that is not on disk, as Electron does. */
      getPathForFile: (file: File) => droppedPaths.find((path) => path.endsWith(`/${file.name}`)) ?? '',
    },
  };
  preload((name) => {
    if (name !== 'electron') throw new Error(`A sandboxed preload cannot require ${name}`);
    return electron;
  });
}

/** Ignores the error of a message to a closed page, and throws every other error. */
function ignoreClosed(thrown: unknown): void {
  if (!/closed|handled|Execution context was destroyed/i.test(String(thrown))) throw thrown;
}
