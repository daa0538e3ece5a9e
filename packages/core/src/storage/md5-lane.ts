import { Worker } from 'node:worker_threads';

/** A stretch of a batch that belongs to one content. */
export interface Piece {
  content: number;
  from: number;
  to: number;
  /** Whether the content ends here. */
  last: boolean;
}

/** What the thread is asked. */
export interface Batch {
  id: number;
  bytes: SharedArrayBuffer;
  pieces: readonly Piece[];
  /** Contents that will not be ended. */
  forget: readonly number[];
}

/** What it answers: the MD5 of each content that ended in the batch. */
export interface Answer {
  id: number;
  digests: [content: number, md5: string][];
}

type Digests = Answer['digests'];

/**
 * Hashes contents on a thread of its own: MD5 takes most of the time that an upload costs, and nobody needs it before the
 * upload is over.
 *
 * The thread is started when it is first needed and does not keep the process alive. When it dies, what it was asked is
 * refused, and the next question starts another.
 */
export function createMd5Lane() {
  const asked = new Map<number, PromiseWithResolvers<Digests>>();
  let worker: Worker | null = null;
  let lastId = 0;
  let lastContent = 0;

  function start(): Worker {
    const started = new Worker(new URL('./md5-worker.ts', import.meta.url));
    started.unref();
    started.on('message', ({ id, digests }: Answer) => {
      asked.get(id)?.resolve(digests);
      asked.delete(id);
    });
    const refuse = (cause: unknown) => {
      worker = null;
      for (const question of asked.values()) question.reject(new Error('The hashing thread ended', { cause }));
      asked.clear();
    };
    started.on('error', refuse).on('exit', refuse);
    return started;
  }

  return {
    /** A number for a content, used once in this process. */
    nextContent: () => (lastContent += 1),
    /**
     * Hashes pieces of a batch. Batches are taken in the order they are asked; the bytes must not change meanwhile.
     *
     * @returns The MD5 of each content that ended here.
     */
    hash(bytes: SharedArrayBuffer, pieces: readonly Piece[]): Promise<Digests> {
      return ask({ bytes, pieces, forget: [] });
    },
    /** Lets go of contents that were begun and will not be ended. */
    forget(contents: readonly number[]): void {
      if (worker && contents.length > 0) ask({ bytes: new SharedArrayBuffer(0), pieces: [], forget: contents }).catch(() => {});
    },
  };

  function ask(question: Omit<Batch, 'id'>): Promise<Digests> {
    worker ??= start();
    const id = (lastId += 1);
    const answer = Promise.withResolvers<Digests>();
    asked.set(id, answer);
    worker.postMessage({ id, ...question } satisfies Batch);
    return answer.promise;
  }
}

/** The one lane of this process. */
export const md5Lane = createMd5Lane();
