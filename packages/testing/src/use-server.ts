import { afterAll, beforeAll } from 'vitest';
import { closeClean } from './expectations.ts';
import { type ServerOptions, startServer, type TestServer } from './server.ts';

export interface UseServerOptions extends ServerOptions {
  /**
   * Whether the server must end in the state that {@link closeClean} checks, with additional texts that must appear
   * nowhere, or with faults in the log that the tests cause. Default: false.
   */
  clean?: boolean | { secrets?: readonly string[]; faults?: boolean };
}

/** A real server for the tests of a file or of a `describe`. */
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
