import { join } from 'node:path';
import type { WatchRule } from '@berth/client';
import { openBackend } from '../../../src/main/open-backend.ts';
import { startApp } from '../../../src/main/start.ts';
import { createFakeElectron, createFrame, type FakeElectron } from '../fake-electron.ts';
import type { WindowOwner } from './app-window.ts';

/** Times for those in a hurry. */
const HURRIED: Partial<WatchRule> = {
  quietMs: 40,
  graceMs: 200,
  lookEveryMs: 400,
  pollEveryMs: 100,
  firstPauseMs: 20,
  longestPauseMs: 200,
};

/** How an app is started. All of it can be sent to another process. */
export interface MainOptions {
  /** Where the system and the app keep what lasts from one start to the next. */
  home: string;
  /** The server that the app knows from the start. */
  server: string;
  /** The compiled app. */
  dist: string;
  watchRule?: Partial<WatchRule> | undefined;
}

/** The main process of the app, as its window sees it. */
export interface MainProcess extends WindowOwner {
  /** What its window shows. */
  readonly address: string;
  readonly size: { width: number; height: number };
  readonly preloadInSubframes: boolean;
  /** Hears everything that is sent to the page, from here on. */
  onSend(hear: (channel: string, args: unknown[]) => void): void;
  /** Ends it as the user does. Resolves once it has ended. */
  quit(): Promise<void>;
}

/** The main process, in this one: what it asks of the system is seen. */
export interface MainHere extends MainProcess {
  readonly fake: FakeElectron;
}

/** Starts the app in this process, on an Electron that draws nothing. @throws Error when it does not start. */
export async function startMain({ home, server, dist, watchRule = HURRIED }: MainOptions): Promise<MainHere> {
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
    onSend: (hear) =>
      void webContents.on('fake:sent', ({ channel, data }: { channel: string; data: unknown }) =>
        hear(channel, [data]),
      ),
    async quit() {
      fake.app.quit();
      await fake.app.ended;
    },
  };
}
