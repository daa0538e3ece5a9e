import type { Browser, BrowserContextOptions, CDPSession, Page, Request, Route } from 'playwright-core';
import { type Compiled, scriptsOf } from './scripts.ts';
import { addressBehind, standInOf } from './stand-in.ts';
import { decode, encode } from './wire.ts';

const WORLD = 'preload';

/** The main process, as a window needs it. */
export interface WindowOwner {
  /** Answers a request of the page; `null` if the request is refused. */
  serve(address: string, headers: Record<string, string>): Promise<Response | null>;
  invoke(from: 'main-frame' | 'subframe', channel: string, args: unknown[]): Promise<unknown>;
  /** Whether a frame of the window may navigate to an address. */
  mayNavigate(address: string): boolean;
  /** Whether a new window may open at an address. */
  mayOpen(address: string): boolean;
}

/** A window of the app: a page in Chromium, with the preload in an isolated world. */
export interface AppWindow {
  page: Page;
  /** Addresses of refused navigations and refused new windows. */
  refused: string[];
  /** Addresses outside the app that the page requested and its policy did not block. */
  foreign: string[];
  /** Navigates to an address, as the app requests it. */
  load(address: string): Promise<void>;
  /** Sends a message to the preload. */
  send(channel: string, args: unknown[]): void;
  /** Drags files or folders over one half of the window. @param steps The drag events to dispatch. */
  drag(paths: readonly string[], half: 'left' | 'right', steps: readonly DragStep[]): Promise<void>;
  close(): Promise<void>;
}

type DragStep = 'dragEnter' | 'dragOver' | 'drop';

export interface AppWindowOptions extends BrowserContextOptions {
  compiled: Compiled;
  /** Whether the preload also runs in subframes, as with `nodeIntegrationInSubFrames`. */
  preloadInSubframes: boolean;
  /** Collects faults of the page: console errors, script errors and policy violations. */
  faults: string[];
}

/** Opens an empty window. */
export async function openAppWindow(
  browser: Browser,
  owner: WindowOwner,
  { compiled, preloadInSubframes, faults, ...options }: AppWindowOptions,
): Promise<AppWindow> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const foreign: string[] = [];
  const refused: string[] = [];
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
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

/** Runs both scripts in each new document. @returns A function that calls into the preload's world. */
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

/** The page of a request; `null` if its window is still opening. */
function pageOf(request: Request): Page | null {
  try {
    return request.frame().page();
  } catch {
    return null;
  }
}

/** Ignores errors of requests to a page that has been closed; throws all others. */
function ignoreClosed(thrown: unknown): void {
  if (!/closed|Cannot find context|Session|handled/i.test(String(thrown))) throw thrown;
}
