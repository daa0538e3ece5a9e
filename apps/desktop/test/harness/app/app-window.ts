import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core';
import type { MainProcess } from './main-process.ts';

/** Replaces the origin of the app, because plain Chromium does not support its scheme. */
const ORIGIN = 'https://window.localhost';

/** A window of the app: a page in Chromium, with the preload. */
export interface AppWindow {
  page: Page;
  /** Addresses outside the app that the page requested and its policy did not block. */
  foreign: string[];
  /** Loads the page of the app. */
  load(): Promise<void>;
  /** Sends a message to the preload. */
  send(channel: string, data: unknown): void;
  /** Drops files or folders on one half of the window. */
  drop(paths: readonly string[], half: 'left' | 'right'): Promise<void>;
  close(): Promise<void>;
}

/** The preload's part of the boundary to the main process. */
interface Boundary {
  /** Delivers a message from the main process. */
  receive(channel: string, data: unknown): void;
  /** Sets the paths of the next dropped files. */
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
  /** Collects faults of the page: console errors, script errors, policy violations and refused requests. */
  faults: string[];
}

/** Opens an empty window. */
export async function openAppWindow(
  browser: Browser,
  main: MainProcess,
  { dist, faults, ...options }: AppWindowOptions,
): Promise<AppWindow> {
  const context = await browser.newContext({ reducedMotion: 'reduce', viewport: main.size, ...options });
  const { protocol, host, pathname } = new URL(main.address);
  const foreign: string[] = [];
  const answer = async (route: Route): Promise<void> => {
    const url = route.request().url();
    if (!url.startsWith(`${ORIGIN}/`)) {
      foreign.push(url);
      return route.abort('blockedbyclient');
    }
    const address = url.replace(ORIGIN, `${protocol}//${host}`);
    const response = await main.serve(address, await route.request().allHeaders());
    if (!response.ok) faults.push(`${address} was answered ${response.status}`);
    return route.fulfill({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    });
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
    foreign,
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
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
        await cdp.send('Input.dispatchDragEvent', { type, x, y, data });
    },
    close: () => context.close(),
  };
}

/** Runs the preload with a fake of the `electron` that it requires. Runs in the page, so it cannot use this file's scope. */
function runPreload(preload: (require: (name: string) => unknown) => void): void {
  type Listener = (event: unknown, data: unknown) => void;
  if (window !== window.top) return;
  const listeners = new Map<string, Set<Listener>>();
  let dropped: readonly string[] = [];
  window.boundary = {
    receive: (channel, data) => listeners.get(channel)?.forEach((listener) => listener({}, data)),
    drop: (paths) => void (dropped = paths),
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
      /** `''` for a file that is not on disk. */
      getPathForFile: (file: File) => dropped.find((path) => path.endsWith(`/${file.name}`)) ?? '',
    },
  };
  preload((name) => {
    if (name !== 'electron') throw new Error(`A sandboxed preload cannot require ${name}`);
    return electron;
  });
}

/** Ignores errors of messages to a page that has been closed; throws all others. */
function ignoreClosed(thrown: unknown): void {
  if (!/closed|handled|Execution context was destroyed/i.test(String(thrown))) throw thrown;
}
