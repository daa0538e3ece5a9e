/** Work on packs that continues without its caller, such as copies to a cache. */
export interface Background {
  /** Starts work on a pack. The caller may ignore the result only if the work never throws. */
  run<T>(pack: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when no work on the pack is running. Default: on any pack. */
  settled(pack?: string): Promise<void>;
}

export function createBackground(): Background {
  const running = new Map<Promise<unknown>, string>();
  return {
    run(pack, work) {
      const result = work();
      const ended: Promise<unknown> = result.then(
        () => running.delete(ended),
        () => running.delete(ended),
      );
      running.set(ended, pack);
      return result;
    },
    async settled(pack) {
      const find = () => running.keys().filter((ended) => pack === undefined || running.get(ended) === pack);
      for (let ended = [...find()]; ended.length > 0; ended = [...find()]) await Promise.all(ended);
    },
  };
}
