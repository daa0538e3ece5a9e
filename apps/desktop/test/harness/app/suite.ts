import { createClient } from '@berth/client';
import { launchBrowser } from '@berth/testing/browser';
import { startServer, type TestServer } from '@berth/testing/server';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { type DesktopOptions, type DesktopUnderTest, startDesktop } from './desktop.ts';
import { makeHome } from './folders.ts';
import { type TcpProxy, openTcpProxy } from './tcp-proxy.ts';
import { type MainChild, startMainChild } from './main-child.ts';
import { type MainHere, type MainProcess, startMain } from './main-process.ts';
import { type Compiled, compileWindow } from './scripts.ts';

type StartOptions = Partial<Omit<DesktopOptions, 'browser' | 'compiled'>>;

/** The server, the compiled app and the helpers that the tests of one file share. */
export interface DesktopSuite {
  /** A server only for this file. */
  readonly server: TestServer;
  /** The server's address. */
  readonly address: string;
  /** The folder of the compiled app. */
  readonly dist: string;
  /** Starts the app, signed out unless `key` is given. It quits after the test, which fails if the page had a fault. */
  start(options?: StartOptions): Promise<DesktopUnderTest<MainHere>>;
  /** Like `start`, with the main process in a child process. */
  startApart(options?: StartOptions): Promise<DesktopUnderTest<MainChild>>;
  /** The ids of an account's deployments on the server that are not deleted, newest first. */
  deployments(key: string): Promise<string[]>;
  /** Opens a proxy to the server that is closed after the test. */
  proxy(): Promise<TcpProxy>;
}

/** Sets up the suite before the tests of a file, and tears it down after them. */
export function desktopSuite(env: Record<string, string> = {}): DesktopSuite {
  let server: TestServer;
  let browser: Browser;
  let compiled: Compiled;
  beforeAll(async () => {
    [server, browser, compiled] = await Promise.all([startServer({ env }), launchBrowser(), compileWindow()]);
  });
  afterAll(async () => {
    await Promise.all([server?.close(), browser?.close(), compiled?.remove()]);
  });

  const address = () => `http://localhost:${server.port}`;
  const start = async <M extends MainProcess>(
    startMain: (options: Parameters<typeof startMainChild>[0]) => Promise<M>,
    options: StartOptions = {},
  ) => {
    const home = options.home ?? makeHome();
    const desktop = await startDesktop({ server: address(), ...options, home, browser, compiled }, startMain);
    onTestFinished(async () => {
      await desktop.quit();
      expect(desktop.takeFaults()).toEqual([]);
    });
    return desktop;
  };
  return {
    get server() {
      return server;
    },
    get address() {
      return address();
    },
    get dist() {
      return compiled.dist;
    },
    start: (options) => start(startMain, options),
    startApart: (options) => start(startMainChild, options),
    async deployments(key) {
      const { api } = createClient({ server: address(), key });
      const { deployments } = await api.deployments.list.query({ limit: 100 });
      return deployments.filter(({ status }) => status === 'success').map(({ deployment }) => deployment);
    },
    async proxy() {
      const proxy = await openTcpProxy(server.port);
      onTestFinished(() => proxy.close());
      return proxy;
    },
  };
}
