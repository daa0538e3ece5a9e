import type { Browser, BrowserContextOptions, CDPSession, Page, Request, Route } from 'playwright-core';
import { type Compiled, scriptsOf } from './scripts.ts';
import { addressBehind, standInOf } from './stand-in.ts';
import { decode, encode } from './wire.ts';

const WORLD = 'preload';

/** What a window asks of the main process. */
export interface WindowOwner {
  /** Answers a request of the page; `null` when it is refused. */
  serve(address: string, headers: Record<string, string>): Promise<Response | null>;
  invoke(from: 'main-frame' | 'subframe', channel: string, args: unknown[]): Promise<unknown>;
  /** Whether a frame of the window may go to an address. */
  mayNavigate(address: string): boolean;
  /** Whether another window may open at an address. */
  mayOpen(address: string): boolean;
}

/** A window of the app: a page in Chromium, with the preload in a world of its own. */
export interface AppWindow {
  page: Page;
  /** Where it, or another window, was to go, and was not let. */
  refused: string[];
  /** Addresses outside the app that it asked for, and whose requests its policy let pass. */
  foreign: string[];
  /** Goes where the app says. */
  load(address: string): Promise<void>;
  /** Sends to the preload. */
  send(channel: string, args: unknown[]): void;
  /** Drags things of the disk over a half of the window, as far as asked. */
  drag(paths: readonly string[], half: 'left' | 'right', steps: readonly DragStep[]): Promise<void>;
  close(): Promise<void>;
}

type DragStep = 'dragEnter' | 'dragOver' | 'drop';

export interface AppWindowOptions extends BrowserContextOptions {
  compiled: Compiled;
  /** Whether the preload runs in subframes as well, as `nodeIntegrationInSubFrames` has it. */
  preloadInSubframes: boolean;
  /** Gets what goes wrong on it: errors of the console and of scripts, and violations of its policy. */
  faults: string[];
}

/** Opens a window that shows nothing yet. */
export async function openAppWindow(
  browser: Browser,
  owner: WindowOwner,
  { compiled, preloadInSubframes, faults, ...options }: AppWindowOptions,
): Promise<AppWindow> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const foreign: string[] = [];
  const refused: string[] = [];
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const loading = new Set<string>();

  const answer = async (route: Route): Promise<void> => {
    const request = route.request();
    const standIn = request.url();
    const address = addressBehind(standIn) ?? standIn;
    if (request.isNavigationRequest() && !loading.delete(standIn)) {
      const isPopup = pageOf(request) !== page;
      if (!(isPopup ? owner.mayOpen(address) : owner.mayNavigate(address))) {
        refused.push(address);
        return route.abort('aborted');
      }
    }
    if (address === standIn) foreign.push(address);
    const response = await owner.serve(address, await request.allHeaders());
    if (response === null) return route.abort('blockedbyclient');
    if (!response.ok) faults.push(`${address} was answered ${response.status}`);
    return route.fulfill({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    });
  };
  await context.route('**/*', (route) => answer(route).catch(ignoreClosed));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(String(error)));

  const cdp = await context.newCDPSession(page);
  const preload = await joinWorlds(cdp, owner, scriptsOf(compiled, preloadInSubframes));
  return {
    page,
    refused,
    foreign,
    async load(address) {
      const standIn = standInOf(address);
      loading.add(standIn);
      await page.goto(standIn);
    },
    send: (channel, args) => preload('receive', channel, encode(args)),
    async drag(paths, half, steps) {
      preload('drop', paths);
      const { width, height } = page.viewportSize()!;
      const [x, y] = [half === 'left' ? width / 4 : (width * 3) / 4, height / 2];
      const data = { items: [], files: [...paths], dragOperationsMask: 1 };
      for (const type of steps) await cdp.send('Input.dispatchDragEvent', { type, x, y, data });
    },
    close: () => context.close(),
  };
}

/** Runs both scripts in each document to come. @returns What calls the world of the preload. */
async function joinWorlds(cdp: CDPSession, owner: WindowOwner, scripts: { page: string; preload: string }) {
  const frames = new Map<number, string>();
  let mainWorld = 0;
  const { frameTree } = await cdp.send('Page.getFrameTree');
  const call = (contextId: number, name: string, ...args: readonly unknown[]): void => {
    const expression = `boundary.${name}(${args.map((arg) => JSON.stringify(arg)).join(', ')})`;
    void cdp.send('Runtime.evaluate', { expression, contextId }).catch(ignoreClosed);
  };
  cdp.on('Runtime.executionContextCreated', ({ context: { id, name, auxData } }) => {
    if (name !== WORLD) return;
    frames.set(id, auxData!['frameId'] as string);
    if (auxData!['frameId'] === frameTree.frame.id) mainWorld = id;
  });
  cdp.on('Runtime.bindingCalled', ({ payload, executionContextId }) => {
    const { id, channel, args } = JSON.parse(payload) as { id: number; channel: string; args: string };
    const from = frames.get(executionContextId) === frameTree.frame.id ? 'main-frame' : 'subframe';
    owner.invoke(from, channel, decode(args) as unknown[]).then(
      (value) => call(executionContextId, 'answer', id, true, encode(value)),
      (thrown: unknown) => call(executionContextId, 'answer', id, false, String(thrown)),
    );
  });
  await cdp.send('Page.enable');
  await cdp.send('Runtime.enable');
  await cdp.send('Runtime.addBinding', { name: 'callMain', executionContextName: WORLD });
  await cdp.send('Page.addScriptToEvaluateOnNewDocument', { source: scripts.page });
  await cdp.send('Page.addScriptToEvaluateOnNewDocument', { source: scripts.preload, worldName: WORLD });
  return (name: string, ...args: readonly unknown[]) => call(mainWorld, name, ...args);
}

/** The page of a request; `null` for that of a window that is about to open. */
function pageOf(request: Request): Page | null {
  try {
    return request.frame().page();
  } catch {
    return null;
  }
}

/** What is asked of a page that has gone meanwhile is asked of nobody. */
function ignoreClosed(thrown: unknown): void {
  if (!/closed|Cannot find context|Session|handled/i.test(String(thrown))) throw thrown;
}
