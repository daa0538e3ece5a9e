import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@berth/core';
import { processesOf, type ServiceProcess } from './processes.ts';

/** A PostgreSQL server beside the nodes, which the run restarts whenever it ends, as a process manager does. */
export interface DatabaseServer {
  address: EmbeddedPostgres['address'];
  processes(...kinds: ServiceProcess['kind'][]): ServiceProcess[];
  stop(): Promise<void>;
}

const MAX_CONNECTIONS = 400;

/** Starts PostgreSQL in a folder. */
export async function startDatabaseServer(folder: string): Promise<DatabaseServer> {
  const server = await startEmbeddedPostgres(join(folder, 'postgres'), { maxConnections: MAX_CONNECTIONS });
  return {
    address: server.address,
    processes: (...kinds) => processesOf(folder).filter(({ kind }) => kinds.includes(kind)),
    stop: () => server.stop(),
  };
}
