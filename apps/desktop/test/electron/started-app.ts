import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { buildApp } from '../../build/build.ts';
import type { AppState, DesktopApi } from '../../src/shared/contract.ts';
import { ELECTRON } from './electron-binary.ts';

/** A running app. */
export interface StartedApp {
  electron: ElectronApplication;
  /** The page of its window. */
  page: Page;
  state(): Promise<AppState>;
  /** Makes a server the current one and signs in to it. */
  signIn(server: string, key: string): Promise<void>;
  /** Sets the folder that the user picks in the next dialogs. */
  chooses(folder: string): Promise<void>;
  /** Quits like the menu. Resolves when the process has ended. */
  quit(): Promise<void>;
}

/** Compiles the app into a temporary folder. @returns The folder to start with Electron. */
export async function compileApp(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-electron-app-'));
  await buildApp(join(folder, 'dist'));
  await copyFile(join(import.meta.dirname, '../../package.json'), join(folder, 'package.json'));
  return folder;
}

/** The arguments of Electron to run an app with its own home folder. */
export function argumentsOf(app: string, home: string, args: readonly string[]): string[] {
  // Build machines run as root, where Chromium's sandbox does not work.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return [...sandbox, `--user-data-dir=${home}`, app, ...args];
}

/** The environment of the app. It leaves nothing in the user's folders. */
export function environmentOf(home: string): Record<string, string> {
  const { ELECTRON_OVERRIDE_DIST_PATH: _, ELECTRON_RUN_AS_NODE: __, ...env } = process.env;
  return { ...(env as Record<string, string>), XDG_CONFIG_HOME: home, XDG_CACHE_HOME: join(home, 'cache') };
}

/** Starts the app, which is quit after the test. @param app The folder from {@link compileApp}. @param home The data folder. */
export async function startElectron(app: string, home: string, args: readonly string[] = []): Promise<StartedApp> {
  const electron = await _electron.launch({
    executablePath: ELECTRON,
    args: argumentsOf(app, home, args),
    env: environmentOf(home),
  });
  let ended = false;
  const end = once(electron.process(), 'exit').then(() => (ended = true));
  onTestFinished(async () => {
    if (!ended) electron.process().kill('SIGKILL');
    await end;
  });
  const page = await electron.firstWindow();
  await page.waitForFunction(() => 'desktop' in window);
  const state = async () => {
    const answer = await page.evaluate(() =>
      (window as unknown as { desktop: DesktopApi }).desktop.commands.readState(),
    );
    if (!answer.ok) throw new Error(answer.problem.message);
    return answer.value;
  };
  return {
    electron,
    page,
    state,
    async signIn(address, key) {
      const answers = await page.evaluate(
        async (given) => {
          const { commands } = (window as unknown as { desktop: DesktopApi }).desktop;
          return [await commands.addServer({ address: given.address }), await commands.signIn({ key: given.key })];
        },
        { address, key },
      );
      for (const answer of answers) if (!answer.ok) throw new Error(answer.problem.message);
    },
    chooses: (folder) =>
      electron.evaluate(({ dialog }, chosen) => {
        dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [chosen] });
      }, folder),
    async quit() {
      // The process ends before it answers.
      await electron.evaluate(({ app }) => void setImmediate(() => app.quit())).catch(() => undefined);
      await end;
    },
  };
}

/** Removes the folder from {@link compileApp}. */
export const removeApp = (folder: string) => rm(folder, { recursive: true, force: true });
