import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AppOptions } from '../../src/main/app-options.ts';
import type { Backend, BackendOptions, Handlers, Summary } from '../../src/main/backend.ts';
import { startApp } from '../../src/main/start.ts';
import { COMMANDS } from '../../src/shared/channels.ts';
import type { AppState } from '../../src/shared/contract.ts';
import { DEFAULT_SETTINGS, type Settings, type Update } from '../../src/shared/settings.ts';
import { makeHome } from '../harness/app/folders.ts';
import { createFakeElectron, type FakeElectron, type FakeElectronOptions } from '../harness/fake-electron.ts';

/** The options of a start of the app in a test. */
export interface StartOptions extends Partial<Omit<FakeElectronOptions, 'home'>> {
  platform?: string;
  args?: readonly string[];
  tray?: boolean;
  env?: NodeJS.ProcessEnv;
  /** The data folder of the app. Default: a new temporary folder. */
  home?: string;
  /** Changes the fake Electron before the app starts. */
  created?(fake: FakeElectron): void;
  /** Changes the backend before the app uses it. */
  prepare?(backend: SmallBackend): void;
  options?: Partial<AppOptions>;
}

/** Starts the app on a fake Electron and waits for its window. The app is quit after the test. */
export async function startedApp(given: StartOptions = {}) {
  const home = given.home ?? makeHome();
  const dist = join(home, 'dist');
  mkdirSync(join(dist, 'renderer'), { recursive: true });
  writeFileSync(join(dist, 'renderer', 'index.html'), '<!doctype html><title>Berth</title>');
  const fake = createFakeElectron({ ...given, home });
  given.created?.(fake);
  const backends: SmallBackend[] = [];
  await startApp(fake.electron, {
    dist,
    openBackend: async (options) => {
      fake.recorder.record('openBackend');
      const backend = new SmallBackend(options);
      backends.push(backend);
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
      on: () => {},
      off: () => {},
    },
    hasTray: async () => given.tray ?? true,
    ...given.options,
  });
  onTestFinished(async () => {
    fake.app.quit();
    if (backends.length > 0) await fake.app.ended;
  });
  return { fake, backend: backends[0]!, dist };
}

export const IDLE_SUMMARY: Summary = {
  status: 'idle',
  text: 'Everything is up to date.',
  progress: null,
  links: [],
  folders: [],
};

export const GRANT = '0123456789abcdef0123456789abcdef';

/** A fake backend that publishes nothing and records calls. */
export class SmallBackend implements Backend {
  readonly options: BackendOptions;
  /** The received commands, in order. */
  readonly asked: { name: string; input: unknown }[] = [];
  readonly given: string[][] = [];
  readonly online: boolean[] = [];
  wakes = 0;
  closes = 0;
  summaryNow = IDLE_SUMMARY;
  settings: Settings = DEFAULT_SETTINGS;
  /** The outputs of commands, by the name of the command. */
  readonly answers = new Map<string, () => Promise<unknown>>([['readState', async () => stateOf(this)]]);
  /** A promise that `close` waits for. */
  closing: Promise<void> = Promise.resolve();
  readonly handlers = Object.fromEntries(
    COMMANDS.map((name) => [
      name,
      async (input: unknown) => {
        this.asked.push({ name, input });
        return this.answers.get(name)?.();
      },
    ]),
  ) as unknown as Handlers;

  constructor(options: BackendOptions) {
    this.options = options;
  }

  give: Backend['give'] = async (paths) => {
    this.given.push([...paths]);
    return paths.map((path) => ({ grant: GRANT, name: path.split('/').at(-1)!, kind: 'folder' as const }));
  };
  summary = () => this.summaryNow;
  onWake = () => void (this.wakes += 1);
  setOnline = (online: boolean) => void this.online.push(online);
  setUpdate = (update: Update) => this.options.emit('update', update);
  close = async () => {
    this.closes += 1;
    await this.closing;
  };
}

function stateOf({ options, settings }: SmallBackend): AppState {
  return {
    publishings: [],
    folders: [],
    siteFolders: [],
    session: {
      servers: [{ origin: 'http://localhost:4000', signIn: { is: 'signed-out' } }],
      current: 'http://localhost:4000',
      keysKept: 'system',
      online: true,
    },
    settings,
    update: { is: 'none' },
    about: options.about,
    presetServer: null,
  };
}
