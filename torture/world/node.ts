import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ConnectionProxy, startConnectionProxy } from './connection-proxy.ts';
import type { DatabaseServer } from './database-server.ts';
import { createService, type Service } from './service.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

/** One server, and what connects it with its clients and the database. */
export interface Node {
  service: Service;
  /** Between the clients and the server. */
  proxy: ConnectionProxy;
  /** Between the server and the database; `null` for a database of its own, or one that the run does not know. */
  databaseProxy: ConnectionProxy | null;
  /** `null` without the privilege to mount one. */
  disk: SmallDisk | null;
  close(): Promise<void>;
}

export interface NodeOptions {
  /** A folder for the node alone. */
  folder: string;
  workers: number;
  /** The server that all nodes share; `null` for none. */
  database: DatabaseServer | null;
  env: Record<string, string>;
}

const urlOf = ({ address: { user, database } }: DatabaseServer, host: string) =>
  `postgresql://${user}@${host}/${database}`;

/** Prepares a node without starting it. */
export async function createNode({ folder, workers, database, env }: NodeOptions): Promise<Node> {
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const disk = mountSmallDisk(dataDir);
  const databaseProxy =
    database && (await startConnectionProxy({ path: join(database.address.socketDir, '.s.PGSQL.5432') }));
  const service = await createService({
    workers,
    dataDir,
    clockFile: join(folder, 'clock'),
    env: { ...env, ...(database && { DATABASE_URL: urlOf(database, `127.0.0.1:${databaseProxy!.port}`) }) },
    // What an operator starts while the network fails is of no interest.
    operatorEnv: database
      ? { DATABASE_URL: urlOf(database, `${encodeURIComponent(database.address.socketDir)}:5432`) }
      : {},
  });
  const proxy = await startConnectionProxy({ port: service.port, host: '127.0.0.1' });
  return {
    service,
    proxy,
    databaseProxy,
    disk,
    async close() {
      await proxy.close();
      await service.killAll();
      await databaseProxy?.close();
      disk?.unmount();
    },
  };
}
