import { MessageChannel, Worker } from 'node:worker_threads';
import { createBirpc } from 'birpc';
import { COMMANDS } from '../../shared/channels.ts';
import type { Backend, BackendOptions, Handlers, Summary } from '../backend.ts';
import { ProblemError } from '../problem.ts';
import type { EngineCalls, EngineData, MainCalls } from './calls.ts';
import { serveFetch } from './serve-fetch.ts';
import { waitForEnd } from './wait-for-end.ts';

/** How long the thread may take to end after its work has stopped, in milliseconds. A silent drive can keep it from ending. */
const END_LIMIT_MS = 1_000;

/** The young generation of the thread's heap, in MiB. It would grow to 64 MiB for a large folder, and keep that size for days. */
const YOUNG_GENERATION_MB = 8;

/** The programs of the threads. */
export interface EnginePrograms {
  engine: URL;
  disk: URL;
}

/** What the engine needs in addition to the options of the backend. */
export interface EngineOptions extends BackendOptions {
  /** Called with errors that no code of the engine has handled. */
  onCrash(error: unknown): void;
}

/**
 * Starts the backend in a thread of its own. Neither hashing nor a drive that does not respond can block the calling thread.
 *
 * @param programs The addresses of the compiled `index.ts` and `disk.ts`.
 * @returns Opens the backend. It behaves like the one of `openBackend`.
 */
export function engineOf(programs: EnginePrograms): (options: EngineOptions) => Promise<Backend> {
  return async (options) => {
    const engine = new Engine(programs, options);
    try {
      await engine.open();
    } catch (error) {
      await engine.close();
      throw error;
    }
    return engine;
  };
}

class Engine implements Backend {
  readonly #worker: Worker;
  readonly #calls: ReturnType<typeof createBirpc<EngineCalls, MainCalls>>;
  #summary: Summary = { status: 'idle', text: 'Berth is starting.', progress: null, links: [], folders: [] };
  #isClosing = false;

  constructor(
    { engine, disk }: EnginePrograms,
    { native, emit, fetch = globalThis.fetch, onCrash, ...options }: EngineOptions,
  ) {
    const { port1: requests, port2: network } = new MessageChannel();
    serveFetch(requests, fetch);
    this.#worker = new Worker(engine, {
      workerData: { options, network, disk: disk.href } satisfies EngineData,
      transferList: [network],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#calls = createBirpc<EngineCalls, MainCalls>(
      {
        ...mainCalls(native, onCrash),
        emit: (name, data, summary) => {
          if (summary !== null) this.#summary = summary;
          emit(name, data);
        },
      },
      {
        post: (message) => this.#worker.postMessage(message, []),
        on: (listener) => void this.#worker.on('message', listener),
        eventNames: ['onWake', 'setOnline', 'setUpdate'],
        timeout: -1,
      },
    );
    this.#worker.on('error', onCrash);
    this.#worker.on('exit', () => {
      requests.close();
      this.#calls.$close(new Error('The engine has stopped'));
      if (!this.#isClosing) onCrash(new Error('The thread of the engine has ended'));
    });
  }

  async open(): Promise<void> {
    this.#summary = await this.#calls.open();
  }

  readonly handlers = Object.fromEntries(
    COMMANDS.map((name) => [
      name,
      async (input: unknown) => {
        const answer = await this.#calls.command(name, input);
        if (answer.ok) return answer.value;
        throw new ProblemError(answer.problem);
      },
    ]),
  ) as unknown as Handlers;

  give: Backend['give'] = (paths) => this.#calls.give(paths);
  summary = () => this.#summary;
  onWake = () => void this.#calls.onWake();
  setOnline = (online: boolean) => void this.#calls.setOnline(online);
  setUpdate: Backend['setUpdate'] = (update) => void this.#calls.setUpdate(update);

  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    await this.#calls.close().catch(() => {});
    await waitForEnd(this.#worker, END_LIMIT_MS);
  }
}

function mainCalls(native: BackendOptions['native'], onCrash: EngineOptions['onCrash']): Omit<MainCalls, 'emit'> {
  const { keychain, loginItem } = native;
  return {
    copyText: (text) => native.copyText(text),
    openExternal: (url) => native.openExternal(url),
    showFolder: (path) => native.showFolder(path),
    pickFolder: (reason) => native.pickFolder(reason),
    pickFiles: () => native.pickFiles(),
    notify: (notification) => native.notify(notification),
    setTheme: (theme) => native.setTheme(theme),
    showWindow: (target) => native.showWindow(target),
    restartToUpdate: () => native.restartToUpdate(),
    kept: () => keychain.kept(),
    read: (name) => keychain.read(name),
    write: (name, secret) => keychain.write(name, secret),
    remove: (name) => keychain.remove(name),
    isLoginItemOn: () => loginItem.isOn(),
    setLoginItem: (on) => loginItem.set(on),
    crashed: onCrash,
  };
}
