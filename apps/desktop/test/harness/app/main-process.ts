import { join } from 'node:path';
import type { WatchRule } from '@berth/client';
import { openBackend } from '../../../src/main/open-backend.ts';
import { APP_SCHEME } from '../../../src/main/shell/app-protocol.ts';
import { startApp } from '../../../src/main/start.ts';
import { createFakeElectron, type FakeElectron } from '../fake-electron.ts';

/** Short times, to keep the tests fast. */
const FAST_RULE: Partial<WatchRule> = {
  quietMs: 40,
  graceMs: 200,
  lookEveryMs: 400,
  pollEveryMs: 100,
  firstPauseMs: 20,
  longestPauseMs: 200,
};

/** Options for starting an app. All of them can be sent to another process. */
export interface MainOptions {
  /** The folder where the system and the app keep data between starts. */
  home: string;
  /** The server that the app knows on its first start. */
  server: string;
  /** The folder of the compiled app. */
  dist: string;
  watchRule?: Partial<WatchRule> | undefined;
}

/** The main process of the app, as its window needs it. */
export interface MainProcess {
  /** The address that its window shows. */
  readonly address: string;
  readonly size: { width: number; height: number };
  /** Answers a request of the page. */
  serve(address: string, headers: Record<string, string>): Promise<Response>;
  /** Handles a message of the page. */
  invoke(channel: string, input: unknown): Promise<unknown>;
  /** Subscribes to the messages that are sent to the page from now on. */
  onSend(listener: (channel: string, data: unknown) => void): void;
  /** Quits as the user does. Resolves once the process has ended. */
  quit(): Promise<void>;
}

/** The main process, running in this process, so that its calls to the system can be inspected. */
export interface MainHere extends MainProcess {
  readonly fake: FakeElectron;
}

/** Starts the app in this process, on a fake Electron. @throws Error if it does not start. */
export async function startMain({ home, server, dist, watchRule = FAST_RULE }: MainOptions): Promise<MainHere> {
  const fake = createFakeElectron({ home });
  await startApp(fake.electron, {
    openBackend,
    dist,
    process: {
      platform: 'linux',
      env: { HOME: home, XDG_CONFIG_HOME: join(home, 'config') },
      argv: ['berth'],
      execPath: '/opt/Berth/berth',
      cwd: () => home,
      resourcesPath: join(home, 'resources'),
    },
    backend: { server, cacheDir: join(home, 'cache'), watchRule, retries: { firstMs: 20, longestMs: 200 } },
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
    onSend: (listener) =>
      void webContents.on('fake:sent', ({ channel, data }: { channel: string; data: unknown }) =>
        listener(channel, data),
      ),
    async quit() {
      fake.app.quit();
      await fake.app.ended;
    },
  };
}
