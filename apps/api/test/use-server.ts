import { startTestServer, type TestServer } from './test-server.ts';
import { afterAll, beforeAll } from 'vitest';

/** A real server for the tests of a file or of a `describe`. @param env Additional variables. */
export function useServer(env?: Record<string, string>): () => TestServer {
  return useStarted(
    () => startTestServer(env),
    (server) => server.close(),
  );
}

/** The same for a server with its own way to start or stop. */
export function useStarted(
  start: () => Promise<TestServer>,
  end: (server: TestServer) => Promise<void>,
): () => TestServer {
  let server: TestServer | undefined;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server && end(server));
  return () => server!;
}
