import { join } from 'node:path';
import type { WatchRule } from '@berth/client';
import { engineOf, type EnginePrograms } from '../../../src/main/engine/start-engine.ts';
import { APP_SCHEME } from '../../../src/main/shell/app-protocol.ts';
import { startApp } from '../../../src/main/start.ts';
import { createFakeElectron, type FakeElectron } from '../fake-electron.ts';

/** Short pauses that keep the tests fast. */
const FAST_RULE: Partial<WatchRule> = {
  quietMs: 40,
  graceMs: 200,
  lookEveryMs: 400,
  pollEveryMs: 100,
  firstPauseMs: 20,
  longestPauseMs: 200,
};

const ENGINE = {
  engine: new URL('../../../src/main/engine/index.ts', import.meta.url).href,
  disk: new URL('../../../src/main/engine/disk.ts', import.meta.url).href,
};

/** The options for starting an app. Every value can be sent to another process. */
export interface MainOptions {
  /** The folder in which the system and the app keep their data between starts. */
  home: string;
  /** The server that the app was made for; empty for none. */
  server: string;
  /** The folder of the compiled app. */
  dist: string;
  watchRule?: Partial<WatchRule> | undefined;
  /** The addresses of the programs of the engine's threads. Default: their sources. */
  programs?: Readonly<Record<keyof EnginePrograms, string>> | undefined;
}

/** What a window needs from the main process of the app. */
export interface MainProcess {
  /** The address of the page that the window shows. */
  readonly address: string;
  readonly size: { width: number; height: number };
  /** Answers a request of the page. */
  serve(address: string, headers: Record<string, string>): Promise<Response>;
  /** Handles a message of the page. */
  invoke(channel: string, input: unknown): Promise<unknown>;
  /** Subscribes to the messages that the main process sends to the page. */
  onSend(listener: (channel: string, data: unknown) => void): void;
  /** Quits the app as the user does, and waits until the app has quit. */
  quit(): Promise<void>;
}

/** The main process of the app in this process, so that tests can inspect its calls to the system. */
export interface MainHere extends MainProcess {
  readonly fake: FakeElectron;
}

/** Starts the app on a fake Electron in this process. @throws Error if the app does not start. */
export async function startMain({
  home,
  server,
  dist,
  watchRule = FAST_RULE,
  programs = ENGINE,
}: MainOptions): Promise<MainHere> {
  const fake = createFakeElectron({ home });
  await startApp(fake.electron, {
    openBackend: engineOf({ engine: new URL(programs.engine), disk: new URL(programs.disk) }),
    dist,
    process: {
      platform: 'linux',
      env: { HOME: home, XDG_CONFIG_HOME: join(home, 'config') },
      argv: ['berth'],
      execPath: '/opt/Berth/berth',
      cwd: () => home,
      on: () => {},
      off: () => {},
      resourcesPath: join(home, 'resources'),
    },
    backend: {
      server: server || undefined,
      cacheDir: join(home, 'cache'),
      watchRule,
      retries: { firstMs: 20, longestMs: 200 },
    },
    hasTray: async () => true,
  });
  const [failure] = fake.recorder.of('dialog.showErrorBox');
  if (failure !== undefined) throw new Error(failure.join(': '));
  const { webContents, bounds } = fake.window();
  const { url } = webContents.mainFrame;
  return {
    fake,
    address: url,
    size: { width: bounds.width, height: bounds.height },
    serve: async (address, headers) => fake.protocolHandler(APP_SCHEME)(new Request(address, { headers })),
    invoke: (channel, input) => fake.invoke(channel, input),
    onSend: (listener) => void webContents.on('fake:sent', listener),
    async quit() {
      fake.app.quit();
      await fake.app.ended;
    },
  };
}
