/** A command from the first process to a worker. Commands run one at a time, in the order they were sent. */
export type WorkerCommand =
  /** Listen, and respond with 503. */
  | 'listen'
  /** Serve requests; start listening if necessary. */
  | 'serve'
  /** Finish running requests and exit. */
  | 'stop';

/** A reply from a worker to the first process. */
export type WorkerReply =
  /** The command is done. `up` reports the worker's own start; it receives no commands before that. */
  | { done: 'up' | WorkerCommand }
  /** The command failed, and the worker exits. */
  | { failed: WorkerFailure };

/** The serializable part of an error. */
export interface WorkerFailure {
  message: string;
  code?: string | undefined;
  port?: number | undefined;
}
