import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestServer } from '@berth/api/testing';
import { createClient } from '@berth/client';
import { startProxy } from '@berth/client/testing';
import { type Desktop, type DesktopOptions, openDesktop } from './desktop.ts';

export const PAGE = '<!doctype html><title>hi</title>';

/** Bytes that no server has. */
export const big = (bytes: number) => Buffer.alloc(bytes, crypto.randomUUID());

/** An app in which nobody is signed in, and a proxy between it and the server. */
export async function open(server: TestServer, options: Partial<DesktopOptions> = {}) {
  const proxy = await startProxy(server.port);
  return Object.assign(await openDesktop({ server: proxy.url, ...options }), { proxy });
}

/** The same, with somebody signed in who has a new account. */
export async function openSignedIn(server: TestServer, plan = 'scale', options: Partial<DesktopOptions> = {}) {
  const { key } = await server.account(plan);
  const desktop = await open(server, options);
  await desktop.ask('signIn', { key });
  const { api } = createClient({ server: `http://localhost:${server.port}`, key });
  const deployments = async () => (await api.deployments.list.query({})).deployments;
  return Object.assign(desktop, { key, deployments });
}

/** The publishings of which there are copies of files. */
export function stagedIn({ cacheDir }: Pick<Desktop, 'cacheDir'>): string[] {
  const dir = join(cacheDir, 'staging');
  return existsSync(dir) ? readdirSync(dir) : [];
}
