import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { CommandName } from '../../../src/shared/channels.ts';
import type { Answer, AppState, CommandInput, CommandOutput, DesktopApi } from '../../../src/shared/contract.ts';
import { type AppWindow, openAppWindow } from './app-window.ts';
import type { MainOptions, MainProcess } from './main-process.ts';
import type { Compiled } from './scripts.ts';

export interface DesktopOptions extends Omit<MainOptions, 'dist'> {
  browser: Browser;
  compiled: Compiled;
  /** The key of an account that is signed in before the test begins. Default: nobody is. */
  key?: string | undefined;
  /** Where the compiled app is. Default: as it was compiled. */
  dist?: string | undefined;
  /** How the page is shown. Default: as large as the app makes its window. */
  look?: BrowserContextOptions | undefined;
}

/** The app, run without an Electron binary: the real main process, preload and page, on a fake of Electron. */
export interface DesktopUnderTest<M extends MainProcess> {
  readonly main: M;
  readonly window: AppWindow;
  readonly page: Page;
  /** Drops things of the disk. @param half Of the window, on which they fall: with an account, the right one is for watching. */
  drop(paths: string | readonly string[], half?: 'left' | 'right'): Promise<void>;
  /** Asks the app as the page does. @throws Error with the problem when it is refused. */
  ask<C extends CommandName>(name: C, input?: CommandInput<C>): Promise<CommandOutput<C>>;
  state(): Promise<AppState>;
  quit(): Promise<void>;
  /** Starts it again, with what it kept. It has been ended before. */
  start(): Promise<void>;
  /** Returns what went wrong on the page so far, and forgets it. */
  takeFaults(): string[];
}

/** Starts the app. @param startMain Where its main process is: in this process, or one of its own. */
export async function startDesktop<M extends MainProcess>(
  options: DesktopOptions,
  startMain: (options: MainOptions) => Promise<M>,
): Promise<DesktopUnderTest<M>> {
  const { browser, compiled, look } = options;
  const faults: string[] = [];
  let main: M;
  let window: AppWindow;

  const start = async () => {
    main = await startMain({ ...options, dist: options.dist ?? compiled.dist });
    const { preloadInSubframes, size } = main;
    window = await openAppWindow(browser, main, { compiled, preloadInSubframes, faults, viewport: size, ...look });
    main.onSend(window.send);
    await window.load(main.address);
  };

  const ask = async <C extends CommandName>(name: C, input?: CommandInput<C>): Promise<CommandOutput<C>> => {
    const answer = await window.page.evaluate(
      ([name, input]) => {
        const { desktop } = globalThis as unknown as { desktop: DesktopApi };
        return (desktop.commands[name] as (input: unknown) => Promise<Answer<unknown>>)(input);
      },
      [name, input] as const,
    );
    if (!answer.ok) throw new Error(`${name}: ${answer.problem.message}`);
    return answer.value as CommandOutput<C>;
  };

  await start();
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
    drop: (paths, half = 'left') => window.drag([paths].flat(), half, ['dragEnter', 'dragOver', 'drop']),
    ask,
    state: () => ask('readState'),
    async quit() {
      const ended = main.quit();
      await window.close();
      await ended;
    },
    start,
    takeFaults: () => faults.splice(0),
  };
}
