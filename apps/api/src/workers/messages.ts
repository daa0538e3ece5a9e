/** What the first process tells a worker to do; one thing at a time, in the order in which it is told. */
export type Order =
  /** To listen, answering 503. */
  | 'listen'
  /** To answer requests, listening if it does not yet. */
  | 'serve'
  /** To finish running requests and end. */
  | 'stop';

/** What a worker tells the first process. */
export type Report =
  /** That it has done what it was told; `up` stands for its own start, before which it hears nothing. */
  | { done: 'up' | Order }
  /** Why it could not, and ends. */
  | { failed: WorkerFailure };

/** An error, as far as it is told to somebody else. */
export interface WorkerFailure {
  message: string;
  code?: string | undefined;
  port?: number | undefined;
}
