import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { MainOptions, MainProcess } from './main-process.ts';

/** The main process, as one of its own. */
export interface MainChild extends MainProcess {
  readonly pid: number;
  /** Asks what {@link MainProgram} answers besides the window's questions. */
  measure(): Promise<Measured>;
  /** Ends it in the middle of whatever it does. */
  kill(): Promise<void>;
}

/** How the process fared since it was asked last. */
export interface Measured {
  /** The most memory it ever held, in bytes. */
  maxRss: number;
  /** The longest time in which it did nothing else, in milliseconds. */
  longestStallMs: number;
}

/** What is asked of the process. */
export type Question =
  | { ask: 'serve'; args: [address: string, headers: Record<string, string>] }
  | { ask: 'invoke'; args: [from: 'main-frame' | 'subframe', channel: string, args: unknown[]] }
  | { ask: 'measure'; args: [] }
  | { ask: 'quit'; args: [] };

/** What the process says: that it is up, the answer to a question, or what it sends to the page. */
export type Said =
  | { is: 'up'; address: string; size: { width: number; height: number }; preloadInSubframes: boolean }
  | { is: 'answer'; id: number; value: unknown }
  | { is: 'sent'; channel: string; args: unknown[] };

/** What an answer to a request of the page consists of on its way here. */
export interface ServedPage {
  status: number;
  headers: [string, string][];
  body: ArrayBuffer;
}

/** What runs in the process. */
export const MAIN_PROGRAM = join(import.meta.dirname, 'main-program.ts');

/**
 * Starts the app in a process of its own.
 *
 * @param program {@link MAIN_PROGRAM}, or what it was compiled to. @throws Error when it does not start.
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
  let asked = 0;
  let hearSent: (channel: string, args: unknown[]) => void = () => {};
  child.on('message', (said: Said) => {
    if (said.is === 'up') up.resolve(said);
    else if (said.is === 'sent') hearSent(said.channel, said.args);
    else answers.get(said.id)?.resolve(said.value);
  });
  const over = ended.then(([code, signal]) => {
    const error = new Error(`The main process ended with ${code ?? signal}`);
    up.reject(error);
    for (const { reject } of answers.values()) reject(error);
  });
  const ask = async (question: Question): Promise<unknown> => {
    const id = (asked += 1);
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
    onSend: (hear) => void (hearSent = hear),
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
