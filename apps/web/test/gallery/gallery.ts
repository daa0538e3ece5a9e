import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { consoleHeaders } from '@berth/api/console-headers';
import { openPage, type WatchedPage } from '@berth/testing/browser';
import type { Publishing } from '@berth/ui/publishing';
import { NOW } from '@berth/ui/testing/samples';
import { bundleConsole } from '@berth/web/build';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { EMPTY_PATH } from './page-window.ts';
import { createFakeServer, type FakeServer, type Script, type SessionOptions } from './fake-server.ts';

/** A state of the console: its address, what the server answers, what a person does, and the texts that the page then shows. */
export interface GalleryState extends SessionOptions {
  /** The name of the state, and the prefix of the file names of its pictures. */
  name: string;
  /** The path, with query and fragment. */
  path: string;
  /** The answers by procedure; `session` is that of `GET /session`. A procedure without an answer never answers. */
  answers?: Readonly<Record<string, Script>>;
  /** The drops, newest first. */
  drops?: readonly Partial<Publishing>[];
  /** What the person does, after the page has its heading. */
  act?: (page: Page, server: FakeServer) => Promise<void>;
  /** The texts that the page must show. */
  shows: readonly string[];
  /** Whether the person changes the browser itself, so that the state needs a page of its own. */
  ownPage?: true;
  /** Whether pictures of the state are kept with the documents. */
  kept?: boolean;
}

/** A page of the console, and the server that it calls. */
interface OpenConsole extends FakeServer {
  page: Page;
  /** The console errors, script errors and failed requests of the page, and violations of its policy. */
  faults(): Promise<string[]>;
}

/** The console in states. */
export interface Gallery {
  /** Shows a state in a page that all calls share, without loading it again. It is 1120 px wide, and in the light scheme. */
  show(state: GalleryState): Promise<OpenConsole>;
  /** Opens a page in a state, in a new browser context. */
  open(state: GalleryState, options?: BrowserContextOptions): Promise<OpenConsole>;
}

const ORIGIN = 'https://berth.example';
const VIEWPORT = { width: 1_120, height: 760 };
const PAGE = join(import.meta.dirname, 'page');
const DROP_SAMPLE = {
  kind: 'folder',
  leftOut: [],
  watchable: false,
  name: 'harbour-site',
  begun: NOW - 20_000,
} as const;
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** A page of the gallery, and the server that answers it. */
interface Frame extends WatchedPage {
  server: FakeServer;
}

/** Builds the console of the gallery, whose page can show any state. */
export const buildGallery = (folder: string): Promise<void> => bundleConsole(folder, PAGE);

/** Opens the console in states. @param folder The folder of {@link buildGallery}. */
export function openGallery(browser: Browser, folder: string): Gallery {
  let shared: Promise<Frame> | undefined;
  let own: Frame | undefined;
  return {
    async show(state) {
      await own?.page.context().close();
      own = state.ownPage && (await openFrame(browser, folder));
      if (own) return showState(own, state);
      const frame = await (shared ??= openFrame(browser, folder));
      await frame.page.setViewportSize(VIEWPORT);
      await frame.page.emulateMedia({ colorScheme: 'light' });
      await frame.page.mouse.move(0, 0);
      return showState(frame, state);
    },
    open: async (state, options) => showState(await openFrame(browser, folder, options), state),
  };
}

async function openFrame(browser: Browser, folder: string, options: BrowserContextOptions = {}): Promise<Frame> {
  const watched = await openPage(browser, {
    viewport: VIEWPORT,
    colorScheme: 'light',
    timezoneId: 'UTC',
    ...options,
  });
  const { page } = watched;
  const server = createFakeServer();
  const headers = consoleHeaders(new URL(ORIGIN));
  await page.context().route(`${ORIGIN}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname.startsWith('/trpc/') || pathname === '/session') return server.answerCall(route);
    const isAsset = pathname.startsWith('/assets/');
    return route.fulfill({
      body: await readFile(join(folder, isAsset ? pathname : 'index.html')),
      contentType: isAsset ? (TYPES[extname(pathname)] ?? 'application/octet-stream') : 'text/html; charset=utf-8',
      headers: isAsset ? headers.asset : headers.shell,
    });
  });
  // The time is fixed, but timers still run.
  await page.clock.setFixedTime(NOW);
  await page.goto(ORIGIN + EMPTY_PATH);
  await page.waitForFunction(() => 'showConsole' in window);
  return { ...watched, server };
}

async function showState({ page, faults, server }: Frame, state: GalleryState): Promise<OpenConsole> {
  await server.reset(state);
  faults.length = 0;
  const drops = (state.drops ?? []).map((drop, index) => ({ id: String(index), ...DROP_SAMPLE, ...drop }));
  await page.evaluate(
    ({ path, drops }) => {
      window.violations.length = 0;
      window.showConsole(path, drops as Publishing[]);
    },
    { path: state.path, drops },
  );
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await state.act?.(page, server);
  return {
    page,
    ...server,
    faults: async () => [
      // The states decide which calls fail.
      ...faults.filter((fault) => !fault.includes('/trpc/') && !fault.includes('/session')),
      ...(await page.evaluate(() => window.violations)),
    ],
  };
}

/** Chooses an item of the “More about …” menu of a row. */
export async function chooseFromMenu(page: Page, of: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `More about ${of}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
}
