import { buildOnce } from '@berth/testing/builds';
import { type ServerOptions, startServer, type TestServer } from '@berth/testing/server';
import { buildConsole } from '@berth/web/build';
import { afterAll, beforeAll } from 'vitest';

/** A server with its console. */
export interface ServedConsole {
  server(): TestServer;
  /** The folder of the built console, which all files share. */
  folder(): string;
  /** The address of the console, without a slash at its end. */
  origin(): string;
}

type Variables = Record<string, string>;

/** Returns the folder of the built console, which must not be changed. */
export const builtConsole = (): Promise<string> => buildOnce('console', (folder) => buildConsole(folder));

/** Starts a real server with the built console. */
export function useConsole({
  env,
  ...options
}: Omit<ServerOptions, 'env'> & { env?: Variables | (() => Variables) } = {}): ServedConsole {
  let server: TestServer;
  let folder: string;
  beforeAll(async () => {
    folder = await builtConsole();
    const variables = typeof env === 'function' ? env() : env;
    server = await startServer({ ...options, env: { ...variables, CONSOLE_FOLDER: folder } });
  });
  afterAll(() => server?.close());
  return { server: () => server, folder: () => folder, origin: () => `http://localhost:${server.port}` };
}
