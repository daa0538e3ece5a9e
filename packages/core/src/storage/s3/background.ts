/** Work that no caller waits for, such as copies to a cache. */
export interface Background {
  /** Starts work. The work must not throw. */
  run(work: () => Promise<void>): void;
  /** Resolves when all work that was started has ended. */
  settled(): Promise<void>;
}

export function createBackground(): Background {
  const running = new Set<Promise<void>>();
  return {
    run(work) {
      const ended: Promise<void> = work().finally(() => running.delete(ended));
      running.add(ended);
    },
    async settled() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
