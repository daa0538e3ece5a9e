import { openBridge } from './bridge.ts';
import { decode, encode } from './wire.ts';

// Runs in the preload's world before the preload, and provides its `require('electron')`.
declare const BRIDGE: { toPreload: string; toPage: string };
declare const PRELOAD: (require: (name: string) => unknown) => void;
declare const SUBFRAMES: boolean;
declare function callMain(text: string): void;

/** The process boundary, as the world of the preload offers it to the test. */
export interface Boundary {
  /** Delivers the main process's answer to a call. */
  answer(id: number, ok: boolean, value: string): void;
  /** Delivers a message from the main process. */
  receive(channel: string, args: string): void;
  /** Sets the paths of the next dropped files. */
  drop(paths: readonly string[]): void;
}

type Listener = (event: unknown, ...args: unknown[]) => void;

const pendingCalls = new Map<number, PromiseWithResolvers<unknown>>();
const listeners = new Map<string, Set<Listener>>();
let questions = 0;
let dropped: readonly string[] = [];

const boundary: Boundary = {
  answer(id, ok, value) {
    const question = pendingCalls.get(id);
    pendingCalls.delete(id);
    if (ok) question?.resolve(decode(value));
    else question?.reject(new Error(value));
  },
  receive(channel, args) {
    for (const listener of listeners.get(channel) ?? []) listener({ sender: 'ipcRenderer' }, ...(decode(args) as []));
  },
  drop(paths) {
    dropped = paths;
  },
};
Object.assign(globalThis, { boundary });

const electron = {
  contextBridge: {
    exposeInMainWorld: openBridge(BRIDGE.toPage, BRIDGE.toPreload).expose,
  },
  ipcRenderer: {
    invoke(channel: string, ...args: unknown[]): Promise<unknown> {
      const answer = Promise.withResolvers<unknown>();
      pendingCalls.set((questions += 1), answer);
      callMain(JSON.stringify({ id: questions, channel, args: encode(args) }));
      return answer.promise;
    },
    on(channel: string, listener: Listener): void {
      listeners.set(channel, (listeners.get(channel) ?? new Set()).add(listener));
    },
    off(channel: string, listener: Listener): void {
      listeners.get(channel)?.delete(listener);
    },
  },
  webUtils: {
    /** `''` for a file that is not on disk. */
    getPathForFile: (file: File): string => dropped.find((path) => path.endsWith(`/${file.name}`)) ?? '',
  },
};

/** A sandboxed preload can only require Electron. */
function require(name: string): unknown {
  if (name !== 'electron') throw new Error(`module not found: ${name}`);
  return electron;
}

if (SUBFRAMES || window === window.top) PRELOAD(require);
