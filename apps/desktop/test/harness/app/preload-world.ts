import { openBridge } from './bridge.ts';
import { decode, encode } from './wire.ts';

// Runs in the preload's own world before the preload does: what `require('electron')` gives it there.
declare const BRIDGE: { toPreload: string; toPage: string };
declare const PRELOAD: (require: (name: string) => unknown) => void;
declare const SUBFRAMES: boolean;
declare function callMain(text: string): void;

/** What the process boundary is called in the world of the preload. */
export interface Boundary {
  /** Main answers a call. */
  answer(id: number, ok: boolean, value: string): void;
  /** Main sends something. */
  receive(channel: string, args: string): void;
  /** The next files that are dropped lie at these paths. */
  drop(paths: readonly string[]): void;
}

type Listener = (event: unknown, ...args: unknown[]) => void;

const asked = new Map<number, PromiseWithResolvers<unknown>>();
const listeners = new Map<string, Set<Listener>>();
let questions = 0;
let dropped: readonly string[] = [];

const boundary: Boundary = {
  answer(id, ok, value) {
    const question = asked.get(id);
    asked.delete(id);
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
      asked.set((questions += 1), answer);
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
    /** `''` for what is on no disk. */
    getPathForFile: (file: File): string => dropped.find((path) => path.endsWith(`/${file.name}`)) ?? '',
  },
};

/** A sandboxed preload finds nothing but Electron. */
function require(name: string): unknown {
  if (name !== 'electron') throw new Error(`module not found: ${name}`);
  return electron;
}

if (SUBFRAMES || window === window.top) PRELOAD(require);
