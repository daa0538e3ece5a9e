/** A queue in memory with one consumer. Items keep their order. */
export interface Queue<T> extends AsyncIterable<T> {
  push(item: T): void;
  /** Ends the queue: the consumer ends after the last item. */
  end(): void;
}

export function createQueue<T>(): Queue<T> {
  const items: T[] = [];
  let ended = false;
  let wake = () => {};
  return {
    push(item) {
      items.push(item);
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (let taken = 0; ;) {
        while (taken < items.length) yield items[taken++]!;
        if (ended) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
