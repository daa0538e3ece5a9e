import { hash } from 'node:crypto';
import type { CreatedDeployment } from '@berth/contract';
import { expect, vi } from 'vitest';
import type { TestServer } from '@berth/api/testing';
import { type BerthClient, createClient } from '../../src/client.ts';
import type { DeployEvent } from '../../src/deploy/events.ts';
import type { DeployFolderInput, DeployFolderOptions } from '../../src/deploy/input.ts';
import { deployFolder } from '../../src/deploy/deploy-folder.ts';
import { collect, makeFolder, writeFiles } from '../folder/folders.ts';
import { type Proxy, startProxy } from './proxy.ts';

/** A new account, a folder, and a proxy to the server that can cause failures. */
export interface World {
  server: TestServer;
  proxy: Proxy;
  client: BerthClient;
  key: string;
  folder: string;
  cacheDir: string;
  /** Retries without long pauses. */
  options: DeployFolderOptions;
  deploy(
    input?: Partial<DeployFolderInput>,
    options?: DeployFolderOptions,
  ): Promise<{ events: DeployEvent[]; result: CreatedDeployment }>;
  /** Counts the deployments of the account. */
  deployments(): Promise<number>;
  /** Returns the content that a deployment serves at a path. */
  read(deployment: CreatedDeployment, path: string): Promise<string>;
}

export async function makeWorld(server: TestServer, files: Readonly<Record<string, string | Buffer>>): Promise<World> {
  const proxy = await startProxy(server.port);
  const { key } = await server.account('scale');
  const client = createClient({ server: proxy.url, key });
  const [folder, cacheDir] = [makeFolder(), makeFolder()];
  writeFiles(folder, files);
  const options = { cacheDir, retries: { firstMs: 5, longestMs: 20 } };
  return {
    server,
    proxy,
    client,
    key,
    folder,
    cacheDir,
    options,
    deploy: (input, more) => collect(deployFolder({ folder, client, ...input }, { ...options, ...more })),
    async deployments() {
      const { deployments } = await client.api.deployments.list.query({});
      return deployments.length;
    },
    async read({ deployment }, path) {
      return (await server.visit(deployment, path)).text;
    },
  };
}

/** Waits until the server has stored or discarded everything that it received. */
export function settled({ server }: Pick<World, 'server'>): Promise<void> {
  return vi.waitFor(
    async () => expect(await server.database.query("select id from pack where state = 'open'")).toEqual([]),
    { timeout: 10_000, interval: 20 },
  );
}

/** Returns the types of events, with repeated ones merged. */
export function typesOf(events: readonly DeployEvent[]): string[] {
  return events.map(({ type }) => type).filter((type, i, all) => type !== all[i - 1]);
}

export function sha256(content: string | Buffer): string {
  return hash('sha256', content);
}
