import { join } from 'node:path';
import { openPage, type WatchedPage } from '@berth/testing/browser';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { problemOf } from '../../../src/main/problem.ts';
import { createAppProtocol, DROP_PAGE_URL, PAGE_URL } from '../../../src/main/shell/app-protocol.ts';
import { DROP_WINDOW_SIZE } from '../../../src/main/shell/drop-window.ts';
import { MIN_SIZE } from '../../../src/main/shell/window-state.ts';
import { COMMANDS, type CommandName, EVENTS } from '../../../src/shared/channels.ts';
import type { AppState, Page as PageName } from '../../../src/shared/contract.ts';
import { fulfillWith, ORIGIN } from '../app/app-window.ts';
import { type Fake, installFake, type Script } from './fake-desktop.ts';
import { NOW } from '@berth/ui/testing/samples';
import { appState } from './sample.ts';

type Answers = Partial<Record<CommandName | 'grant', Script>>;

/** A state of the window in the gallery: the app state, the open page, and the texts that the page shows. */
export interface GalleryState {
  /** The name of the state, and the prefix of the file names of its screenshots. */
  name: string;
  /** The app state; `null` if reading it fails. Default: signed in, and nothing has been published yet. */
  state?: AppState | null;
  /** The page of the main window; `drop-window` for the window at the tray icon. */
  page: PageName | 'drop-window';
  answers?: Answers;
  /** Actions of the user before the screenshot. */
  act?: (page: Page) => Promise<void>;
  /** The texts that the page must show. */
  shows: readonly string[];
  /** Whether the screenshots of the state are kept with the documents. */
  kept?: boolean;
}

/** Opens windows with the real page and a fake app. */
export interface Gallery {
  /** Opens a window in a state, in a new browser context. */
  open(state: GalleryState, options?: OpenOptions): Promise<OpenWindow>;
  /** Opens the smallest window in a state. All calls share a browser context, which is faster. */
  openSmallest(state: GalleryState): Promise<OpenWindow>;
}

/** Returns the smallest size of the window that a state shows. */
const minSizeOf = ({ page }: GalleryState) => (page === 'drop-window' ? DROP_WINDOW_SIZE : MIN_SIZE);

interface OpenOptions extends BrowserContextOptions {
  /** Answers that are added to the answers of the state. */
  answers?: Answers;
  /** `null` skips the actions of the state. */
  act?: null;
}

interface OpenWindow {
  page: Page;
  /** The console errors, script errors and failed requests of the page. */
  errors: string[];
  /** Returns the inputs of all calls of a command. */
  sent(name: Fake['sent'][number]['name']): Promise<unknown[]>;
  emit: (...args: Parameters<Fake['emit']>) => Promise<void>;
  answer: (...args: Parameters<Fake['answer']>) => Promise<void>;
}

/** Opens windows of the app. @param dist The folder of the compiled renderer. */
export function openGallery(browser: Browser, dist: string): Gallery {
  const handleRequest = createAppProtocol(join(dist, 'renderer'));
  let smallest: Promise<WatchedPage> | undefined;
  return {
    open: async (state, options = {}) => showState(await openWindow(browser, handleRequest, options), state, options),
    async openSmallest(state) {
      const window = await (smallest ??= openWindow(browser, handleRequest, {}));
      await window.page.setViewportSize(minSizeOf(state));
      await window.page.emulateMedia({ colorScheme: 'light' });
      await window.page.mouse.move(0, 0);
      return showState(window, state);
    },
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
    await fulfillWith(route, await handle(new Request(new URL(pathname, PAGE_URL))));
  });
  // The time is fixed, but timers still run.
  await window.page.clock.setFixedTime(NOW);
  return window;
}

/** Loads the page in a window and shows a state. */
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
  const isDropWindow = pageName === 'drop-window';
  await page.goto(`${ORIGIN}${new URL(isDropWindow ? DROP_PAGE_URL : PAGE_URL).pathname}`);
  await script.dispose();
  if (isDropWindow) await page.locator('.drop-window').waitFor();
  else if (state !== null) {
    if (!state.settings.welcomed) await page.getByRole('heading').waitFor();
    else await page.getByRole('navigation').waitFor();
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

/** Drags a folder over a window or drops it there, as the system does. @param x The distance from the left, in pixels. */
export async function drag(page: Page, type: 'dragEnter' | 'dragOver' | 'drop', x: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [import.meta.dirname], dragOperationsMask: 1 };
  await session.send('Input.dispatchDragEvent', { type, x, y: 300, data });
}

export async function dropFolder(page: Page, x: number): Promise<void> {
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) await drag(page, type, x);
}

/** Chooses an item of the “More about …” menu of a card or row. */
export async function chooseFromMenu(page: Page, of: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `More about ${of}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
}
