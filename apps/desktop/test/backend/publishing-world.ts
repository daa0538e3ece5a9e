import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@berth/client';
import { startProxy } from '@berth/testing/proxy';
import type { TestServer } from '@berth/testing/server';
import { type Desktop, type DesktopOptions, openDesktop } from './desktop.ts';

export const PAGE = '<!doctype html><title>hi</title>';

/** Random bytes, which no server has. */
export const big = (bytes: number) => Buffer.alloc(bytes, crypto.randomUUID());

/** Opens a signed-out app with a proxy between it and the server. */
export async function open(server: TestServer, options: Partial<DesktopOptions> = {}) {
  const proxy = await startProxy(server.port);
  return Object.assign(await openDesktop({ server: proxy.url, ...options }), { proxy });
}

/** Opens an app that is signed in to a new account, with a proxy between it and the server. */
export async function openSignedIn(server: TestServer, plan = 'scale', options: Partial<DesktopOptions> = {}) {
  const { key } = await server.account(plan);
  const desktop = await open(server, options);
  await desktop.ask('signIn', { key });
  const { api } = createClient({ server: `http://localhost:${server.port}`, key });
  const deployments = async () => (await api.deployments.list.query({})).deployments;
  return Object.assign(desktop, { key, deployments });
}

/** The ids of publishings that have copies of files. */
export function stagedIn({ cacheDir }: Pick<Desktop, 'cacheDir'>): string[] {
  const dir = join(cacheDir, 'staging');
  return existsSync(dir) ? readdirSync(dir) : [];
}
