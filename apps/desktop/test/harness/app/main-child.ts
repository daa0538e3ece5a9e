import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { MainOptions, MainProcess } from './main-process.ts';
import { MAIN_PROGRAM } from './scripts.ts';

/** The main process, running in a child process. */
export interface MainChild extends MainProcess {
  readonly pid: number;
  /** Measures the peak memory, and the longest stall since the last call. */
  measure(): Promise<Measured>;
  /** Kills the process at once, whatever it is doing. */
  kill(): Promise<void>;
}

/** Measurements of the process. */
export interface Measured {
  /** Peak memory since the process started, in bytes. */
  maxRss: number;
  /** The longest time that the event loop was blocked since the last measurement, in milliseconds. */
  longestStallMs: number;
}

/** A request to the process. */
export type Question =
  | { ask: 'serve'; args: [address: string, headers: Record<string, string>] }
  | { ask: 'invoke'; args: [from: 'main-frame' | 'subframe', channel: string, args: unknown[]] }
  | { ask: 'measure'; args: [] }
  | { ask: 'quit'; args: [] };

/** A message from the process: that it is up, the answer to a request, or a message for the page. */
export type Said =
  | { is: 'up'; address: string; size: { width: number; height: number }; preloadInSubframes: boolean }
  | { is: 'answer'; id: number; value: unknown }
  | { is: 'sent'; channel: string; args: unknown[] };

/** The response to a request of the page, as sent between the processes. */
export interface ServedPage {
  status: number;
  headers: [string, string][];
  body: ArrayBuffer;
}

/**
 * Starts the app in a child process.
 *
 * @param program {@link MAIN_PROGRAM}, or its compiled form. @throws Error if it does not start.
 */
export async function startMainChild(options: MainOptions, program: string = MAIN_PROGRAM): Promise<MainChild> {
  const { home, server, dist, watchRule } = options;
  const child = fork(program, [JSON.stringify({ home, server, dist, watchRule })], {
    serialization: 'advanced',
    execArgv: [],
  });
  const ended = once(child, 'exit');
  const answers = new Map<number, PromiseWithResolvers<unknown>>();
  const up = Promise.withResolvers<Said & { is: 'up' }>();
  let lastId = 0;
  let onSent: (channel: string, args: unknown[]) => void = () => {};
  child.on('message', (said: Said) => {
    if (said.is === 'up') up.resolve(said);
    else if (said.is === 'sent') onSent(said.channel, said.args);
    else answers.get(said.id)?.resolve(said.value);
  });
  const over = ended.then(([code, signal]) => {
    const error = new Error(`The main process ended with ${code ?? signal}`);
    up.reject(error);
    for (const { reject } of answers.values()) reject(error);
  });
  const ask = async (question: Question): Promise<unknown> => {
    const id = (lastId += 1);
    const answer = Promise.withResolvers<unknown>();
    answers.set(id, answer);
    child.send({ id, ...question });
    return answer.promise.finally(() => answers.delete(id));
  };
  return {
    ...(await up.promise),
    pid: child.pid!,
    async serve(address, headers) {
      const { status, headers: list, body } = (await ask({ ask: 'serve', args: [address, headers] })) as ServedPage;
      return new Response(body, { status, headers: list });
    },
    invoke: (...args) => ask({ ask: 'invoke', args }),
    measure: () => ask({ ask: 'measure', args: [] }) as Promise<Measured>,
    mayNavigate: () => false,
    mayOpen: () => false,
    onSend: (listener) => void (onSent = listener),
    async quit() {
      void ask({ ask: 'quit', args: [] }).catch(() => {});
      await over;
    },
    async kill() {
      child.kill('SIGKILL');
      await over;
    },
  };
}
