import { join } from 'node:path';
import type { WatchRule } from '@berth/client';
import { openBackend } from '../../../src/main/open-backend.ts';
import { startApp } from '../../../src/main/start.ts';
import { createFakeElectron, createFrame, type FakeElectron } from '../fake-electron.ts';
import type { WindowOwner } from './app-window.ts';

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
export interface MainProcess extends WindowOwner {
  /** The address that its window shows. */
  readonly address: string;
  readonly size: { width: number; height: number };
  readonly preloadInSubframes: boolean;
  /** Subscribes to the messages that are sent to the page from now on. */
  onSend(listener: (channel: string, args: unknown[]) => void): void;
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
  const window = fake.window();
  const { webContents } = window;
  const { mainFrame } = webContents;
  const { width, height } = window.bounds;
  const webPreferences = window.options['webPreferences'] as { nodeIntegrationInSubFrames?: boolean };
  return {
    fake,
    address: mainFrame.url,
    size: { width, height },
    preloadInSubframes: webPreferences.nodeIntegrationInSubFrames === true,
    async serve(address, headers) {
      if (!fake.session.fetches(address)) return null;
      const { protocol } = new URL(address);
      if (protocol === 'https:' || protocol === 'http:') return new Response('<title>Another site</title>');
      return fake.protocolHandler(protocol.slice(0, -1))(new Request(address, { headers }));
    },
    invoke: (from, channel, args) =>
      fake.invoke(channel, args[0], {
        sender: webContents,
        senderFrame: from === 'main-frame' ? mainFrame : createFrame(mainFrame.url, mainFrame),
      }),
    mayNavigate: (address) => !webContents.refuses('will-navigate', address),
    mayOpen: (address) => webContents.openHandler?.({ url: address }).action !== 'deny',
    onSend: (listener) =>
      void webContents.on('fake:sent', (channel: string, data: unknown) => listener(channel, [data])),
    async quit() {
      fake.app.quit();
      await fake.app.ended;
    },
  };
}
