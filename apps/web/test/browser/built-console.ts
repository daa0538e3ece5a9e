import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildConsole } from '@berth/web/build';
import { type ServerOptions, startServer, type TestServer } from '@berth/testing/server';
import { afterAll, beforeAll } from 'vitest';

/** A server with its console, built once for the tests of a file. */
export interface ServedConsole {
  server(): TestServer;
  /** The folder of the built console. */
  folder(): string;
  /** The address of the console, without a slash at its end. */
  origin(): string;
}

type Variables = Record<string, string>;

/** Builds the console and starts a real server with it. */
export function useConsole({
  env,
  ...options
}: Omit<ServerOptions, 'env'> & { env?: Variables | (() => Variables) } = {}): ServedConsole {
  let server: TestServer;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-web-'));
    await buildConsole(folder);
    const variables = typeof env === 'function' ? env() : env;
    server = await startServer({ ...options, env: { ...variables, CONSOLE_FOLDER: folder } });
  });
  afterAll(async () => {
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { server: () => server, folder: () => folder, origin: () => `http://localhost:${server.port}` };
}
