import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AppOptions } from '../../src/main/app-options.ts';
import { startApp } from '../../src/main/start.ts';
import { makeHome } from '../harness/app/folders.ts';
import { createFakeElectron, type FakeElectron, type FakeElectronOptions } from '../harness/fake-electron.ts';
import { createSmallBackend, type SmallBackend } from './small-backend.ts';

/** The options of a test that starts the app. */
export interface StartOptions extends Partial<Omit<FakeElectronOptions, 'home'>> {
  platform?: string;
  /** The arguments after the program. */
  args?: readonly string[];
  tray?: boolean;
  env?: NodeJS.ProcessEnv;
  /** The data folder of the app. Default: a new temporary folder. */
  home?: string;
  /** Prepares the fake before the app starts. */
  created?(fake: FakeElectron): void;
  /** Changes the backend before the app uses it. */
  prepare?(backend: SmallBackend): void;
  options?: Partial<AppOptions>;
}

export interface StartedApp {
  fake: FakeElectron;
  backend: SmallBackend;
  home: string;
  dist: string;
}

/** Starts the app on a fake of Electron and waits for its window. It is quit after the test. */
export async function startedApp(given: StartOptions = {}): Promise<StartedApp> {
  const home = given.home ?? makeHome();
  const dist = join(home, 'dist');
  mkdirSync(join(dist, 'renderer'), { recursive: true });
  writeFileSync(join(dist, 'renderer', 'index.html'), '<!doctype html><title>Berth</title>');
  const fake = createFakeElectron({ ...given, home });
  given.created?.(fake);
  let backend: SmallBackend | null = null;
  await startApp(fake.electron, {
    dist,
    openBackend: async (options) => {
      fake.recorder.record('openBackend');
      backend = createSmallBackend(options);
      given.prepare?.(backend);
      return backend;
    },
    process: {
      platform: given.platform ?? 'linux',
      env: given.env ?? { XDG_CONFIG_HOME: join(home, 'config'), XDG_CACHE_HOME: join(home, 'cache') },
      argv: ['/opt/Berth/berth', ...(given.args ?? [])],
      execPath: '/opt/Berth/berth',
      resourcesPath: join(home, 'resources'),
      cwd: () => home,
    },
    hasTray: async () => given.tray ?? true,
    ...given.options,
  });
  onTestFinished(async () => {
    fake.app.quit();
    if (backend !== null) await fake.app.ended;
  });
  return { fake, backend: backend!, home, dist };
}
