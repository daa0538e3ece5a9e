import { hash } from 'node:crypto';
import type { CreatedDeployment } from '@berth/contract';
import { startProxy } from '@berth/testing/proxy';
import type { TestServer } from '@berth/testing/server';
import { expect, vi } from 'vitest';
import { createClient } from '../../src/client.ts';
import type { DeployEvent } from '../../src/deploy/events.ts';
import type { DeployFolderInput, DeployFolderOptions } from '../../src/deploy/input.ts';
import { deployFolder } from '../../src/deploy/deploy.ts';
import { collectEvents, makeFolder } from '../folder/folders.ts';

export type World = Awaited<ReturnType<typeof makeWorld>>;

/** A new account, a folder, and a proxy in front of the server that can cause failures. */
export async function makeWorld(server: TestServer, files: Readonly<Record<string, string | Buffer>>) {
  const proxy = await startProxy(server.port);
  const { key, account } = await server.account('scale');
  const client = createClient({ server: proxy.url, key });
  const [folder, cacheDir] = [makeFolder(files), makeFolder()];
  /** The options of a deploy that retries without long pauses. */
  const options: DeployFolderOptions = { cacheDir, retries: { firstMs: 5, longestMs: 20 } };
  return {
    server,
    proxy,
    client,
    key,
    account,
    folder,
    cacheDir,
    options,
    deploy: (input: Partial<DeployFolderInput> = {}, more: DeployFolderOptions = {}) =>
      collectEvents(deployFolder({ folder, client, ...input }, { ...options, ...more })),
    /** Counts the deployments of the account. */
    deployments: async () => (await client.api.deployments.list.query({})).deployments.length,
    /** Returns the text that a deployment serves at a path. */
    read: async ({ deployment }: CreatedDeployment, path: string) => (await server.visit(deployment, path)).text,
  };
}

/** Waits until no body is being sent and the server has recorded every content that passed the proxy completely. */
export function untilSettled({ server, proxy, account }: Pick<World, 'server' | 'proxy' | 'account'>): Promise<void> {
  return vi.waitFor(
    async () => {
      expect(proxy.sending).toBe(0);
      expect(await server.database.query("select id from pack where state = 'open'")).toEqual([]);
      const recordedHashes = await recordedContents(server, account);
      expect(proxy.contents.filter((sha256) => !recordedHashes(sha256))).toEqual([]);
    },
    { timeout: 10_000, interval: 20 },
  );
}

/** Returns true if an upload of the account has received a content. A committed upload has received all contents. */
async function recordedContents(server: TestServer, account: string): Promise<(sha256: string) => boolean> {
  const uploads = await server.database.query<{ hashes: string | null; committed: boolean }>(
    `select encode(upload_content.hashes, 'hex') as hashes, committed is not null as committed
     from upload left join upload_content on upload_hash = hash where account_id = $1`,
    [account],
  );
  if (uploads.some(({ committed }) => committed)) return () => true;
  const hashes = new Set(uploads.flatMap((upload) => upload.hashes?.match(/.{64}/g) ?? []));
  return (sha256) => hashes.has(sha256);
}

/** Returns the types of events, and merges equal types in a row. */
export function typesOf(events: readonly DeployEvent[]): string[] {
  return events.map(({ type }) => type).filter((type, i, all) => type !== all[i - 1]);
}

export function sha256(content: string | Buffer): string {
  return hash('sha256', content);
}
