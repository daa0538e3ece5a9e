import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPage, type WatchedPage } from '@berth/testing/browser';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { buildApp } from '../../../build/build.ts';
import { createAppProtocol, PAGE_URL } from '../../../src/main/shell/app-protocol.ts';
import { COMMANDS, EVENTS } from '../../../src/shared/channels.ts';
import { type Fake, installFake, type Script } from './fake-desktop.ts';
import { NOW } from './sample.ts';
import type { GalleryState } from './state.ts';

/** Replaces the app's scheme, which plain browsers do not support. Requests are answered by the app's real handler. */
const ORIGIN = 'https://window.localhost';

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

interface Acting {
  answers?: Partial<Record<Fake['sent'][number]['name'], Script>> | undefined;
  /** `null` skips the `act` of the state. */
  act?: null | undefined;
}

type OpenOptions = BrowserContextOptions & Acting;

interface OpenWindow {
  page: Page;
  /** Console errors, script errors and failed requests. */
  errors: string[];
  /** The inputs that the page sent for one command. */
  sent(name: Fake['sent'][number]['name']): Promise<unknown[]>;
  emit: (...args: Parameters<Fake['emit']>) => Promise<void>;
  answer: (...args: Parameters<Fake['answer']>) => Promise<void>;
  close(): Promise<void>;
}

/** Builds the page once for all windows. */
export async function openGallery(browser: Browser): Promise<Gallery> {
  const dir = await mkdtemp(join(tmpdir(), 'berth-gallery-'));
  await buildApp(dir, ['renderer']);
  const handle = createAppProtocol(join(dir, 'renderer'));
  let smallest: Promise<WatchedPage> | undefined;
  return {
    open: async (state, { answers, act, ...options } = {}) =>
      showState(await openWindow(browser, handle, options), state, { answers, act }),
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
  options: BrowserContextOptions,
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
  { state, page: pageName, answers, act }: GalleryState,
  { answers: otherAnswers, act: actOption }: Acting = {},
): Promise<OpenWindow> {
  errors.length = 0;
  const script = await page.addInitScript(installFake, {
    state,
    answers: {
      ...(state === null ? { readState: { problem: STATE_UNREADABLE } } : {}),
      checkFolder: { value: { question: null } },
      ...answers,
      ...otherAnswers,
    },
    commands: COMMANDS,
    events: EVENTS,
  });
  await page.goto(`${ORIGIN}/index.html`);
  await script.dispose();
  if (state !== null) {
    await page.getByRole('navigation').waitFor();
    await page.evaluate((name) => window.fake.emit('navigate', { page: name }), pageName);
  }
  if (actOption === undefined) await act?.(page);
  return {
    page,
    errors,
    sent: (wanted) =>
      page.evaluate(
        (wanted) => window.fake.sent.filter(({ name }) => name === wanted).map(({ input }) => input),
        wanted,
      ),
    emit: (name, data) => page.evaluate(([name, data]) => window.fake.emit(name, data), [name, data] as const),
    answer: (name, script) =>
      page.evaluate(([name, script]) => window.fake.answer(name, script), [name, script] as const),
    close: () => page.context().close(),
  };
}

const STATE_UNREADABLE = {
  kind: 'unexpected',
  message: 'The settings cannot be read.',
  next: 'Restart the app.',
  file: null,
};
