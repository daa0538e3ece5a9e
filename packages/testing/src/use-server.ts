import { afterAll, beforeAll } from 'vitest';
import { closeClean } from './expectations.ts';
import { type ServerOptions, startServer, type TestServer } from './server.ts';

export interface UseServerOptions extends ServerOptions {
  /** Whether {@link closeClean} checks the server at the end, and with which options. Default: false. */
  clean?: boolean | { secrets?: readonly string[]; faults?: boolean };
}

/** Starts a real server for the tests of a file or of a `describe`. */
export function useServer({ clean = false, ...options }: UseServerOptions = {}): () => TestServer {
  let server: TestServer | undefined;
  beforeAll(async () => {
    server = await startServer(options);
  });
  afterAll(async () => {
    if (server === undefined) return;
    if (clean === false) await server.close();
    else await closeClean(server, clean === true ? {} : clean);
  });
  return () => server!;
}
