/** Runs tasks one after the other, so that each sees the results of the ones before. */
export type SerialQueue = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates a serial queue. A failed task does not block later ones. */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}
