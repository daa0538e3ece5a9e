import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPage, type WatchedPage } from '@berth/testing/browser';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { buildApp } from '../../../build/build.ts';
import { problemOf } from '../../../src/main/problem.ts';
import { createAppProtocol, PAGE_URL } from '../../../src/main/shell/app-protocol.ts';
import { COMMANDS, type CommandName, EVENTS } from '../../../src/shared/channels.ts';
import type { AppState, Page as PageName } from '../../../src/shared/contract.ts';
import { type Fake, installFake, type Script } from './fake-desktop.ts';
import { appState, NOW } from './sample.ts';

/** Replaces the app's scheme, which plain browsers do not support. Requests are answered by the app's real handler. */
const ORIGIN = 'https://window.localhost';

type Answers = Partial<Record<CommandName | 'grant', Script>>;

/** One state of the window: the app state, the page, and the texts that it then shows. */
export interface GalleryState {
  /** File name prefix of its screenshots. */
  name: string;
  /** With `null`, reading it fails. Default: signed in, and nothing has been published yet. */
  state?: AppState | null;
  page: PageName;
  answers?: Answers;
  /** Actions of the user before the screenshot. */
  act?: (page: Page) => Promise<void>;
  /** Texts that must be shown. */
  shows: readonly string[];
  /** Whether its screenshots are kept with the documents. */
  kept?: boolean;
}

/** The real page, with a fake app. */
export interface Gallery {
  /** Opens a window in a new browser context, in the given state. */
  open(state: GalleryState, options?: OpenOptions): Promise<OpenWindow>;
  /** Opens the smallest window in the given state. Faster: all calls load the page again in one browser context. */
  openSmallest(state: GalleryState): Promise<OpenWindow>;
  /** Removes the built page; does not close the browser. */
  remove(): Promise<void>;
}

/** The smallest size of the window. */
const SMALLEST = { width: 640, height: 480 };

interface OpenOptions extends BrowserContextOptions {
  /** Added to those of the state. */
  answers?: Answers;
  /** `null` skips the `act` of the state. */
  act?: null;
}

interface OpenWindow {
  page: Page;
  /** Console errors, script errors and failed requests. */
  errors: string[];
  /** The inputs that the page sent for one command. */
  sent(name: Fake['sent'][number]['name']): Promise<unknown[]>;
  emit: (...args: Parameters<Fake['emit']>) => Promise<void>;
  answer: (...args: Parameters<Fake['answer']>) => Promise<void>;
}

/** Builds the page once for all windows. */
export async function openGallery(browser: Browser): Promise<Gallery> {
  const dir = await mkdtemp(join(tmpdir(), 'berth-gallery-'));
  await buildApp(dir, ['renderer']);
  const handle = createAppProtocol(join(dir, 'renderer'));
  let smallest: Promise<WatchedPage> | undefined;
  return {
    open: async (state, options = {}) => showState(await openWindow(browser, handle, options), state, options),
    async openSmallest(state) {
      const window = await (smallest ??= openWindow(browser, handle, { viewport: SMALLEST }));
      await window.page.emulateMedia({ colorScheme: 'light' });
      await window.page.mouse.move(0, 0);
      return showState(window, state);
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

async function openWindow(
  browser: Browser,
  handle: (request: Request) => Promise<Response>,
  { answers: _answers, act: _act, ...options }: OpenOptions,
): Promise<WatchedPage> {
  const window = await openPage(browser, {
    viewport: { width: 1_120, height: 760 },
    colorScheme: 'light',
    timezoneId: 'UTC',
    ...options,
  });
  await window.page.context().route(`${ORIGIN}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    const response = await handle(new Request(new URL(pathname, PAGE_URL)));
    await route.fulfill({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    });
  });
  // Fixes the time; timers still run.
  await window.page.clock.setFixedTime(NOW);
  return window;
}

/** Loads the page in a window, in the given state. */
async function showState(
  { page, faults: errors }: WatchedPage,
  { state = appState(), page: pageName, answers, act }: GalleryState,
  options: OpenOptions = {},
): Promise<OpenWindow> {
  errors.length = 0;
  const script = await page.addInitScript(installFake, {
    readState: state === null ? { problem: problemOf(new Error('The state is broken.')) } : { value: state },
    answers: { checkFolder: { value: { question: null } }, ...answers, ...options.answers },
    commands: COMMANDS,
    events: EVENTS,
  });
  await page.goto(`${ORIGIN}/index.html`);
  await script.dispose();
  if (state !== null) {
    await page.getByRole('navigation').waitFor();
    await page.evaluate((name) => window.fake.emit('navigate', { page: name }), pageName);
  }
  if (options.act !== null) await act?.(page);
  return {
    page,
    errors,
    sent: (wanted) =>
      page.evaluate(
        (wanted) => window.fake.sent.filter(({ name }) => name === wanted).map(({ input }) => input),
        wanted,
      ),
    emit: (...args) => page.evaluate((args) => window.fake.emit(...args), args),
    answer: (...args) => page.evaluate((args) => window.fake.answer(...args), args),
  };
}

/** Drags a folder over a window, or drops it there, as the system does. @param x In pixels from the left. */
export async function drag(page: Page, type: 'dragEnter' | 'dragOver' | 'drop', x: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [import.meta.dirname], dragOperationsMask: 1 };
  await session.send('Input.dispatchDragEvent', { type, x, y: 300, data });
}

export async function drop(page: Page, x: number): Promise<void> {
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) await drag(page, type, x);
}

/** Chooses an item of the menu “More about …” of a card or row. */
export async function chooseFromMenu(page: Page, of: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `More about ${of}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
}
