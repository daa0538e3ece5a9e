import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { CommandName } from '../../../src/shared/channels.ts';
import type { Answer, AppState, CommandInput, CommandOutput, DesktopApi } from '../../../src/shared/contract.ts';
import { type AppWindow, openAppWindow } from './app-window.ts';
import type { MainOptions, MainProcess } from './main-process.ts';

export interface DesktopOptions extends MainOptions {
  browser: Browser;
  /** The API key that the app signs in with before the test begins. Default: signed out. */
  key?: string | undefined;
  /** True if the window shows the first run. Default: the first run is complete. */
  firstRun?: boolean | undefined;
  /** Options of the browser context. The default viewport has the size of the app's window. */
  context?: BrowserContextOptions | undefined;
}

/** The app without an Electron binary. The main process, the preload and the page are real, but Electron is fake. */
export interface DesktopUnderTest<M extends MainProcess> {
  readonly main: M;
  readonly window: AppWindow;
  readonly page: Page;
  /** Drops files or folders on a half of the window. With an account, a drop on the right half watches a folder. */
  drop(paths: string | readonly string[], half?: 'left' | 'right'): Promise<void>;
  /** Sends a command as the page does. @throws Error with the problem if the command fails. */
  ask<C extends CommandName>(name: C, input?: CommandInput<C>): Promise<CommandOutput<C>>;
  state(): Promise<AppState>;
  quit(): Promise<void>;
  /** Starts the app again with its stored data, after the app has quit or was killed. */
  start(): Promise<void>;
  /** Returns the faults of the page since the last call. */
  takeFaults(): string[];
}

/** Starts the app and its window. @param startMain Starts the main process, in this process or in a child process. */
export async function startDesktop<M extends MainProcess>(
  options: DesktopOptions,
  startMain: (options: MainOptions) => Promise<M>,
): Promise<DesktopUnderTest<M>> {
  const { browser, dist, context, firstRun = false } = options;
  const faults: string[] = [];
  let main: M;
  let window: AppWindow;

  const start = async () => {
    main = await startMain(options);
    window = await openAppWindow(browser, main, { dist, faults, ...context });
    main.onSend(window.send);
    await window.load();
  };

  const ask = <C extends CommandName>(name: C, input?: CommandInput<C>) => askPage(window.page, name, input);

  await start();
  if (!firstRun) await ask('changeSettings', { welcomed: true });
  if (options.key !== undefined) await ask('signIn', { key: options.key });
  return {
    get main() {
      return main;
    },
    get window() {
      return window;
    },
    get page() {
      return window.page;
    },
    drop: (paths, half = 'left') => window.drop([paths].flat(), half),
    ask,
    state: () => ask('readState'),
    async quit() {
      const hasQuit = main.quit();
      await window.close();
      await hasQuit;
    },
    start,
    takeFaults: () => faults.splice(0),
  };
}

/** Sends a command as the page does. @throws Error with the problem if the command fails. */
export async function askPage<C extends CommandName>(
  page: Page,
  name: C,
  input?: CommandInput<C>,
): Promise<CommandOutput<C>> {
  const answer = await page.evaluate(
    ([name, input]) => {
      const { desktop } = globalThis as unknown as { desktop: DesktopApi };
      return (desktop.commands[name] as (input: unknown) => Promise<Answer<unknown>>)(input);
    },
    [name, input] as const,
  );
  if (!answer.ok) throw new Error(`${name}: ${answer.problem.message}`);
  return answer.value as CommandOutput<C>;
}
