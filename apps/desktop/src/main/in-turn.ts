/** Does work of one kind one after the other: each begins with what the ones before it have led to. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Makes a line of its own. Work that fails keeps nobody behind it from its turn. */
export function createInTurn(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}
