import type { FolderDisk, RetryPolicy, WatchRule } from '@berth/client';
import type { CommandName, EventName } from '../shared/channels.ts';
import type { CommandOutput, EventData, commands } from '../shared/contract.ts';
import type { GivenItem } from '../shared/publishing.ts';
import type { About, Update } from '../shared/settings.ts';
import type { z } from 'zod';
import type { Native } from './native.ts';

/** One handler for each command. A handler gets the parsed input. It may throw; the message of a `ClientError` is for the user. */
export type Handlers = {
  readonly [C in CommandName]: (input: z.output<(typeof commands)[C]['input']>) => Promise<CommandOutput<C>>;
};

export type Emit = <E extends EventName>(name: E, data: EventData<E>) => void;

export interface BackendOptions {
  native: Native;
  /** Sends the requests to servers. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Reads the files of folders. Default: the calling thread does. */
  disk?: FolderDisk | undefined;
  about: About;
  /** The folder of data that must not be lost. */
  dataDir: string;
  /** The folder where the watch engine caches hashes and what it has published. */
  cacheDir: string;
  /** The server that this app was made for. Default: the user enters one in the first run. */
  server?: string | undefined;
  /** Called with every event. Every change of the state is an event. */
  emit: Emit;
  /** Overrides the timing of the watch engine, which is too slow for tests. */
  watchRule?: Partial<WatchRule> | undefined;
  retries?: Partial<RetryPolicy> | undefined;
}

/** The status of the whole app, which the tray icon shows. */
export type AppStatus = 'error' | 'working' | 'offline' | 'paused' | 'idle';

/** The data of the tray icon and its menu. */
export interface Summary {
  status: AppStatus;
  /** The status in one sentence. */
  text: string;
  /** How much of the running work is done, from 0 to 1; `null` if nothing runs or its amount is unknown. */
  progress: number | null;
  /** The 5 newest links, newest first. */
  links: readonly { name: string; url: string }[];
  folders: readonly { id: string; name: string; paused: boolean }[];
}

/** The app without its windows. */
export interface Backend {
  readonly handlers: Handlers;
  /** Turns absolute paths that the user picked into grants. Skips paths that cannot be read. */
  give(paths: readonly string[]): Promise<GivenItem[]>;
  summary(): Summary;
  /** Scans the watched folders. Called when the window comes to the front or the machine wakes up. */
  onWake(): void;
  /** Reports whether the machine has a network. */
  setOnline(online: boolean): void;
  setUpdate(update: Update): void;
  /** Stops all work so that the next start can resume it. */
  close(): Promise<void>;
}
