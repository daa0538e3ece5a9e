import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { consoleHeaders } from '@berth/api/console-headers';
import type { SessionState } from '@berth/contract';
import { openPage } from '@berth/testing/browser';
import { NOW } from '@berth/ui/testing/samples';
import { buildConsole } from '@berth/web/build';
import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core';

/** How the fake server answers a procedure. */
export type Script =
  | { value: unknown }
  | {
      /** An error, as the server sends it. */ error: {
        status: number;
        error: string;
        message: string;
        details?: object;
      };
    }
  | { /** The answers for the pages of a list. The cursor of a page is its number. */ pages: readonly unknown[] }
  | { /** Returns the answer to an input. */ reply: (input: Readonly<Record<string, unknown>>) => unknown }
  | { /** The connection breaks. */ offline: true }
  | { never: true };

/** A state of the console in the gallery: an address, what the server answers, and the texts that the page shows. */
export interface GalleryState {
  /** The name of the state, and the prefix of the file names of its screenshots. */
  name: string;
  path: string;
  /** The e-mail address of the person who is signed in; `null` for no one. Default: the sample person. */
  email?: string | null;
  /** The answers by procedure. A procedure without an answer never answers. */
  answers?: Readonly<Record<string, Script>>;
  /** Actions of the person before the screenshot. */
  act?: (page: Page) => Promise<void>;
  /** The texts that the page must show. */
  shows: readonly string[];
  /** Whether the screenshots of the state are kept with the documents. */
  kept?: boolean;
}

/** A page of the console, and what the fake server has received. */
interface OpenConsole {
  page: Page;
  /** The console errors, script errors and failed requests of the page, and violations of its policy. */
  faults(): Promise<string[]>;
  /** Returns the inputs of all calls of a procedure. */
  sent(procedure: string): unknown[];
  answer(procedure: string, script: Script): void;
}

export interface Gallery {
  /** Opens the console in a state, in a new browser context. */
  open(state: GalleryState, options?: BrowserContextOptions): Promise<OpenConsole>;
  /** Removes the files of the built console. The browser stays open. */
  remove(): Promise<void>;
}

const ORIGIN = 'https://berth.example';
const EMAIL = 'mara@harbour.example';
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** Builds the console, once for all pages. */
export async function openGallery(browser: Browser): Promise<Gallery> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-console-gallery-'));
  await buildConsole(folder);
  return {
    open: (state, options) => openState(browser, folder, state, options),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function openState(
  browser: Browser,
  folder: string,
  { path, email = EMAIL, answers = {}, act }: GalleryState,
  options: BrowserContextOptions = {},
): Promise<OpenConsole> {
  const { page, faults } = await openPage(browser, {
    viewport: { width: 1_120, height: 760 },
    colorScheme: 'light',
    timezoneId: 'UTC',
    ...options,
  });
  const scripts = { ...answers };
  const calls: { procedure: string; input: unknown }[] = [];
  const headers = consoleHeaders(new URL(ORIGIN));
  await page.context().route(`${ORIGIN}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname.startsWith('/trpc/')) return answerCall(route, scripts, calls);
    if (pathname === '/session') return route.fulfill({ json: sessionOf(email) });
    if (pathname.startsWith('/assets/'))
      return route.fulfill({
        body: await readFile(join(folder, pathname)),
        contentType: TYPES[extname(pathname)] ?? 'application/octet-stream',
        headers: headers.asset,
      });
    return route.fulfill({
      body: await readFile(join(folder, 'index.html')),
      contentType: 'text/html; charset=utf-8',
      headers: headers.shell,
    });
  });
  await page.addInitScript(() => {
    const violations: string[] = [];
    Object.assign(globalThis, { violations });
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      violations.push(`${violatedDirective}: ${blockedURI}`),
    );
  });
  // The time is fixed, but timers still run.
  await page.clock.setFixedTime(NOW);
  await page.goto(ORIGIN + path);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await act?.(page);
  return {
    page,
    faults: async () => [
      ...faults.filter((fault) => !fault.includes('/trpc/')),
      ...(await page.evaluate(() => (globalThis as unknown as { violations: string[] }).violations)),
    ],
    sent: (procedure) => calls.filter((call) => call.procedure === procedure).map(({ input }) => input),
    answer: (procedure, script) => void (scripts[procedure] = script),
  };
}

/** Returns the answer of `GET /session`. */
function sessionOf(email: string | null): SessionState {
  return {
    methods: { password: true, passkey: true, code: false, oidc: null },
    signUp: false,
    refusal: null,
    signedIn:
      email === null
        ? null
        : {
            session: 'session-1',
            method: 'passkey',
            person: { id: 'person-1', email, name: 'Mara Lind' },
            account: 'acc-1',
            role: 'owner',
            accounts: [],
            provenUntil: NOW / 1_000 + 600,
            hasPassword: false,
            passkeys: 1,
            identities: 0,
          },
  };
}

async function answerCall(
  route: Route,
  scripts: Readonly<Record<string, Script>>,
  calls: { procedure: string; input: unknown }[],
): Promise<void> {
  const request = route.request();
  const { pathname, searchParams } = new URL(request.url());
  const procedure = pathname.slice('/trpc/'.length);
  const input: unknown = JSON.parse(request.postData() ?? searchParams.get('input') ?? 'null');
  calls.push({ procedure, input });
  const script = scripts[procedure] ?? { never: true };
  if ('never' in script) return;
  if ('offline' in script) return route.abort('failed');
  if ('error' in script) {
    const { error } = script;
    const data = { ...error, httpStatus: error.status, path: procedure };
    return route.fulfill({ status: error.status, json: { error: { message: error.message, code: -32_600, data } } });
  }
  return route.fulfill({ json: { result: { data: valueOf(script, (input ?? {}) as Record<string, unknown>) } } });
}

function valueOf(
  script: Extract<Script, { value: unknown } | { pages: unknown } | { reply: unknown }>,
  input: Readonly<Record<string, unknown>>,
): unknown {
  if ('value' in script) return script.value;
  return 'reply' in script ? script.reply(input) : script.pages[Number(input['cursor'] ?? 0)];
}

/** Chooses an item of the “More about …” menu of a row. */
export async function chooseFromMenu(page: Page, of: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `More about ${of}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
}
