import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { buildApp } from '../../build/build.ts';
import type { CommandName } from '../../src/shared/channels.ts';
import type { CommandInput, CommandOutput } from '../../src/shared/contract.ts';
import { askPage } from '../harness/app/desktop.ts';

/** The folder in which the npm package installs Electron. Importing the package would start a download. */
const INSTALLED = join(import.meta.dirname, '../../node_modules/electron/dist');
const PROGRAMS: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'electron',
  darwin: 'Electron.app/Contents/MacOS/Electron',
  win32: 'electron.exe',
};

/** The Electron program that the tests start: `ELECTRON_PATH`, or the program of the npm package. */
export const ELECTRON = process.env['ELECTRON_PATH'] ?? join(INSTALLED, PROGRAMS[process.platform] ?? 'electron');

/** The reason why the tests with Electron cannot run; `null` if they can run. */
export const NO_ELECTRON = reason();

function reason(): string | null {
  if (!existsSync(ELECTRON))
    return `there is no Electron at ${ELECTRON}; run npx install-electron in apps/desktop, or set ELECTRON_PATH`;
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (process.platform === 'linux' && !DISPLAY && !WAYLAND_DISPLAY) return 'there is no display; use xvfb-run';
  return null;
}

/** A running app. */
export interface StartedApp {
  electron: ElectronApplication;
  /** The page of the app's window. */
  page: Page;
  /** Sends a command as the page does. @throws Error with the problem if the command fails. */
  ask<C extends CommandName>(name: C, input?: CommandInput<C>): Promise<CommandOutput<C>>;
  /** Makes a server the current one and signs in to it. */
  signIn(server: string, key: string): Promise<void>;
  /** Picks a folder in the dialog. @returns The grant of the folder. */
  pick(folder: string): Promise<string>;
  /** Quits the app like its menu does. Resolves when the process has exited. */
  quit(): Promise<void>;
}

/** Compiles the app into a temporary folder. @returns The folder to start with Electron. */
export async function compileApp(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-electron-app-'));
  await buildApp(join(folder, 'dist'));
  await copyFile(join(import.meta.dirname, '../../package.json'), join(folder, 'package.json'));
  return folder;
}

/** The program of an unpacked package, such as `release/linux-unpacked/berth-desktop`; `undefined` to skip its tests. */
export const PACKAGED = process.env['BERTH_PACKAGED'];

/** The options that start an app with its own home folder, so that it writes nothing into the user's folders. */
export function launchOptions(app: string, home: string, args: readonly string[] = []) {
  // Build machines run as root, where Chromium's sandbox does not work.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const { ELECTRON_OVERRIDE_DIST_PATH: _, ELECTRON_RUN_AS_NODE: __, ...env } = process.env;
  return {
    args: [...sandbox, `--user-data-dir=${home}`, app, ...args],
    env: { ...(env as Record<string, string>), XDG_CONFIG_HOME: home, XDG_CACHE_HOME: join(home, 'cache') },
  };
}

/**
 * Starts the app, which is quit after the test.
 *
 * @param app The folder from {@link compileApp}. @param home The data folder. @param change Changes the arguments of the program.
 */
export async function startElectron(
  app: string,
  home: string,
  change: (args: string[]) => string[] = (args) => args,
): Promise<StartedApp> {
  const { args, env } = launchOptions(app, home);
  const electron = await _electron.launch({ executablePath: ELECTRON, args: change(args), env });
  let hasExited = false;
  const processExit = once(electron.process(), 'exit').then(() => (hasExited = true));
  onTestFinished(async () => {
    if (!hasExited) electron.process().kill('SIGKILL');
    await processExit;
  });
  const page = await electron.firstWindow();
  await page.waitForFunction(() => 'desktop' in window);
  await askPage(page, 'changeSettings', { welcomed: true });
  return {
    electron,
    page,
    ask: (name, input) => askPage(page, name, input),
    async signIn(address, key) {
      await askPage(page, 'addServer', { address });
      await askPage(page, 'signIn', { key });
    },
    async pick(folder) {
      await electron.evaluate(({ dialog }, chosen) => {
        dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [chosen] });
      }, folder);
      return (await askPage(page, 'pickFolder'))!.grant;
    },
    async quit() {
      // The process exits before it responds.
      await electron.evaluate(({ app }) => void setImmediate(() => app.quit())).catch(() => undefined);
      await processExit;
    },
  };
}
