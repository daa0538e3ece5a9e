import { type Core, toServiceError } from '@berth/core';
import { type HeldLease, takeLease } from '@berth/core/jobs';
import { jobLastSuccess, jobsLeaseHeld } from '@berth/core/metrics';
import { type Job, pauseUntilMultiple, repeatUntil } from './repeat-jobs.ts';

const LEASE_NAME = 'jobs';
/** The interval in which the lease is renewed, or asked for. */
const POLL_MS = 5_000;

/**
 * Runs jobs while this process has the lease for them, so that of all servers on one database one runs them. When the holder
 * stops, another server takes over within 5 s; when it crashes, within 20 s. Source: storage §11.
 *
 * @param jobsOf Creates the jobs, on a core whose changes fail once the lease is lost.
 * @param resources Disposing of it lets running jobs finish, and releases the lease.
 */
export function runWhileLeased(
  core: Core,
  resources: AsyncDisposableStack,
  jobsOf: (leasedCore: Core) => readonly Job[],
): void {
  const stopping = new AbortController();
  const names = jobsOf(core).map(({ name }) => name);
  const running = takeTurns(core, names, jobsOf, stopping.signal);
  resources.defer(async () => {
    stopping.abort();
    await running;
  });
}

async function takeTurns(
  core: Core,
  names: readonly string[],
  jobsOf: (leasedCore: Core) => readonly Job[],
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted) {
    const lease = await attempt(core, () => takeLease(core, LEASE_NAME));
    if (lease) await runTurn(core, lease, jobsOf(lease.core), stopping);
    // While another server runs the jobs, they are not late here.
    else for (const name of names) jobLastSuccess(name).value = Date.now() / 1_000;
    await pauseUntilMultiple(POLL_MS, stopping);
  }
}

/** Runs the jobs until the process stops or loses the lease. */
async function runTurn(core: Core, lease: HeldLease, jobs: readonly Job[], stopping: AbortSignal): Promise<void> {
  const lost = new AbortController();
  const signal = AbortSignal.any([stopping, lost.signal]);
  jobsLeaseHeld.value = 1;
  const running = repeatUntil(core, jobs, signal);
  while (!stopping.aborted) {
    await pauseUntilMultiple(POLL_MS, stopping);
    const isRenewed = stopping.aborted || (await attempt(core, () => lease.renew()));
    if (isRenewed === false || performance.now() >= lease.endsAt) break;
  }
  if (!stopping.aborted) core.log.warn({}, 'This server has lost the lease for the jobs; another one runs them');
  lost.abort();
  jobsLeaseHeld.value = 0;
  await running;
  await attempt(core, () => lease.release());
}

/** Returns `null` if the database cannot be used, which is logged unless the outage is already known. */
async function attempt<T>(core: Core, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    const { code, cause } = toServiceError(error);
    if (code !== 'unavailable' || cause !== undefined)
      core.log.warn({ err: error }, 'The lease for the jobs is unknown');
    return null;
  }
}
