import { closeClean } from './standing-asserts.ts';
import { type PlanChanges, startWithPlans } from './start-with-plans.ts';
import { startTestServer, type TestServer } from './test-server.ts';
import { useStarted } from './use-server.ts';

export interface CleanServer {
  /** Further variables. */
  env?: Record<string, string>;
  /** What differs from the built-in plans. */
  plans?: PlanChanges;
  /** Further texts that must stand nowhere at its end, such as site passwords. */
  secrets?: readonly string[];
  /** Whether the tests make faults, which are then in the log. */
  faults?: boolean;
}

/** A real server for the tests of a file, or of the `describe` it stands in, that has to end as {@link closeClean} says. */
export function useCleanServer({ env, plans, secrets, faults = false }: CleanServer = {}): () => TestServer {
  return useStarted(
    () => (plans ? startWithPlans(plans, env) : startTestServer(env)),
    (server) => closeClean(server, secrets, { faults }),
  );
}
