import { startTestServer, type TestServer } from './test-server.ts';
import { afterAll, beforeAll } from 'vitest';

/** A real server for the tests of a file, or of the `describe` it stands in. @param env Further variables. */
export function useServer(env?: Record<string, string>): () => TestServer {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(env);
  });
  afterAll(() => server?.close());
  return () => server;
}
