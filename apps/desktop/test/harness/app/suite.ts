import { createClient } from '@berth/client';
import { launchBrowser } from '@berth/testing/browser';
import type { Proxy } from '@berth/testing/proxy';
import type { TestServer } from '@berth/testing/server';
import { useServer } from '@berth/testing/use-server';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { builtPages } from './built-pages.ts';
import { type DesktopOptions, type DesktopUnderTest, startDesktop } from './desktop.ts';
import { makeHome } from './folders.ts';
import { type MainHere, startMain } from './main-process.ts';

/** The server, the compiled app and the helpers that the tests of one file share. */
export interface DesktopSuite {
  server(): TestServer;
  /** The folder of the compiled pages, which all files share. */
  dist(): string;
  /** Starts the app, signed out unless `key` is given. The app quits after the test, and the test fails if the page had a fault. */
  start(options?: Partial<DesktopOptions>): Promise<DesktopUnderTest<MainHere>>;
}

/** Starts a server before the tests of a file, and compiles the pages of the app before those of the first file. */
export function desktopSuite(): DesktopSuite {
  const server = useServer();
  let browser: Browser;
  let dist: string;
  beforeAll(async () => {
    [browser, dist] = await Promise.all([launchBrowser(), builtPages()]);
  });
  afterAll(() => browser?.close());

  return {
    server,
    dist: () => dist,
    async start(options = {}) {
      const home = options.home ?? makeHome();
      const address = `http://localhost:${server().port}`;
      const desktop = await startDesktop({ server: address, dist, browser, ...options, home }, startMain);
      onTestFinished(async () => {
        await desktop.quit();
        expect(desktop.takeFaults()).toEqual([]);
      });
      return desktop;
    },
  };
}

/** Returns the ids of an account's deployments that are online, newest first. */
export async function deploymentsOf({ port }: TestServer, key: string): Promise<string[]> {
  const { api } = createClient({ server: `http://localhost:${port}`, key });
  const { deployments } = await api.deployments.list.query({ limit: 100 });
  return deployments.filter(({ status }) => status === 'success').map(({ deployment }) => deployment);
}

/** Stalls all uploads through a proxy. @returns A promise that resolves when an upload stalls, and a function that resumes the uploads. */
export function stallUploads(proxy: Proxy): { stalled: Promise<void>; resume: () => void } {
  const uploadStalled = Promise.withResolvers<void>();
  const heldUpload = Promise.withResolvers<undefined>();
  proxy.trouble = ({ method }) => {
    if (method !== 'PUT') return undefined;
    uploadStalled.resolve();
    return heldUpload.promise;
  };
  return { stalled: uploadStalled.promise, resume: () => heldUpload.resolve(undefined) };
}
