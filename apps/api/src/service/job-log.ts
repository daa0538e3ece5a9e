import { AsyncLocalStorage } from 'node:async_hooks';
import type { Log } from '@berth/core';

const runningJob = new AsyncLocalStorage<string>();

/** Runs a job. Every line that it logs with {@link nameJobs} names the job. */
export function runAsJob<T>(name: string, work: () => Promise<T>): Promise<T> {
  return runningJob.run(name, work);
}

/** Returns a log that adds the name of the running job to each line, as `job`. */
export function nameJobs(log: Log): Log {
  const withJob = (fields: object) => {
    const job = runningJob.getStore();
    return job === undefined ? fields : { job, ...fields };
  };
  return {
    info: (fields, message) => log.info(withJob(fields), message),
    warn: (fields, message) => log.warn(withJob(fields), message),
    error: (fields, message) => log.error(withJob(fields), message),
  };
}
