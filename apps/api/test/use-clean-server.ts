import { closeClean } from './standing-asserts.ts';
import { type PlanChanges, startWithPlans } from './start-with-plans.ts';
import { startTestServer, type TestServer } from './test-server.ts';
import { useStarted } from './use-server.ts';

export interface CleanServer {
  /** Additional variables. */
  env?: Record<string, string>;
  /** Changes to the built-in plans. */
  plans?: PlanChanges;
  /** Additional texts that must appear nowhere at its end, such as site passwords. */
  secrets?: readonly string[];
  /** Whether the tests cause faults, which are then in the log. */
  faults?: boolean;
}

/**
 * A real server for the tests of a file or of a `describe`, which must end in the state that {@link closeClean} checks.
 */
export function useCleanServer({ env, plans, secrets, faults = false }: CleanServer = {}): () => TestServer {
  return useStarted(
    () => (plans ? startWithPlans(plans, env) : startTestServer(env)),
    (server) => closeClean(server, secrets, { faults }),
  );
}
