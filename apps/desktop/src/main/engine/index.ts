import { parentPort, workerData } from 'node:worker_threads';
import { createBirpc } from 'birpc';
import type { Answer } from '../../shared/contract.ts';
import type { Backend } from '../backend.ts';
import type { Native } from '../native.ts';
import { openBackend } from '../open-backend.ts';
import { problemOf } from '../problem.ts';
import type { EngineCalls, EngineData, MainCalls } from './calls.ts';
import { DiskThreads } from './disk-threads.ts';
import { createRemoteFetch } from './remote-fetch.ts';

// The program of the engine's thread: watches, hashes and publishes, so that the main thread only has to serve windows.

// Electron would open files of users that are called `*.asar` as archives.
Object.assign(process, { noAsar: true });

const { options, network, disk: diskProgram } = workerData as EngineData;
const disk = new DiskThreads(new URL(diskProgram));
const port = parentPort!;
let backend: Backend | null = null;

const calls: EngineCalls = {
  async open() {
    backend = await openBackend({
      ...options,
      native: remoteNative(),
      fetch: createRemoteFetch(network),
      disk,
      emit: (name, data) => void main.emit.asEvent(name, data, backend?.summary() ?? null),
    });
    return backend.summary();
  },
  async command(name, input): Promise<Answer<unknown>> {
    try {
      return { ok: true, value: await backend!.handlers[name](input as never) };
    } catch (error) {
      const problem = problemOf(error);
      if (problem.kind === 'unexpected') void main.crashed.asEvent(error);
      return { ok: false, problem };
    }
  },
  give: (paths) => backend!.give(paths),
  onWake: () => backend?.onWake(),
  setOnline: (online) => backend?.setOnline(online),
  setUpdate: (update) => backend?.setUpdate(update),
  async close() {
    await backend?.close();
    await disk.close();
    network.close();
    // The answer to this call leaves first. Then the thread has nothing left to do, and ends.
    setImmediate(() => port.close());
  },
};

const main = createBirpc<MainCalls, EngineCalls>(calls, {
  post: (message) => port.postMessage(message),
  on: (listener) => void port.on('message', listener),
  // A dialog is open as long as the user likes.
  timeout: -1,
});
for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (error) => void main.crashed.asEvent(error));

/** The operating system, which the main thread asks. */
function remoteNative(): Native {
  const event =
    <A extends unknown[]>(send: { asEvent(...args: A): Promise<void> }) =>
    (...args: A) =>
      void send.asEvent(...args);
  return {
    copyText: (text) => main.copyText(text),
    openExternal: (url) => main.openExternal(url),
    showFolder: event(main.showFolder),
    pickFolder: (reason) => main.pickFolder(reason),
    pickFiles: () => main.pickFiles(),
    notify: event(main.notify),
    setTheme: event(main.setTheme),
    showWindow: event(main.showWindow),
    restartToUpdate: event(main.restartToUpdate),
    keychain: {
      kept: () => main.kept(),
      read: (name) => main.read(name),
      write: (name, secret) => main.write(name, secret),
      remove: (name) => main.remove(name),
    },
    loginItem: {
      available: options.about.canOpenAtLogin,
      isOn: () => main.isLoginItemOn(),
      set: (on) => main.setLoginItem(on),
    },
  };
}
