import type { RetryPolicy, WatchRule } from '@berth/client';
import type { CommandName, EventName } from '../shared/channels.ts';
import type { CommandOutput, EventData, commands } from '../shared/contract.ts';
import type { Given } from '../shared/publishing.ts';
import type { About, Update } from '../shared/settings.ts';
import type { z } from 'zod';
import type { Native } from './native.ts';

/** What answers the commands. Each gets what its schema made of the input, and may throw: a `ClientError` tells people why. */
export type Handlers = {
  readonly [C in CommandName]: (input: z.output<(typeof commands)[C]['input']>) => Promise<CommandOutput<C>>;
};

/** Hears of events. */
export type Tell = <E extends EventName>(name: E, data: EventData<E>) => void;

export interface BackendOptions {
  native: Native;
  about: About;
  /** Where what must last is kept. */
  dataDir: string;
  /** Where the engine remembers hashes, and what was published. */
  cacheDir: string;
  /** The server that is known from the start. Default: `http://localhost:4000`. */
  server?: string | undefined;
  /** Hears of every change of the state. */
  tell: Tell;
  /** Other times than the engine's; tests are in a hurry. */
  watchRule?: Partial<WatchRule> | undefined;
  retries?: Partial<RetryPolicy> | undefined;
}

/** How the whole app is, for the icon in the tray: an error wins over work, work over a pause. */
export type AppStatus = 'error' | 'working' | 'offline' | 'paused' | 'idle';

/** What the tray shows. */
export interface Summary {
  status: AppStatus;
  /** One sentence about it. */
  text: string;
  /** The newest links first, at most 5. */
  links: readonly { name: string; url: string }[];
  folders: readonly { id: string; name: string; paused: boolean }[];
}

/** The app without its windows. */
export interface Backend {
  readonly handlers: Handlers;
  /** Turns paths that the user gave into grants. What cannot be read is left out. Paths are absolute. */
  give(paths: readonly string[]): Promise<Given[]>;
  summary(): Summary;
  /** The window came to the front, or the machine woke up: what is watched is looked at. */
  awake(): void;
  /** Whether the machine has a network. */
  setOnline(online: boolean): void;
  /** How far the update is. */
  setUpdate(update: Update): void;
  /** Ends what is under way so that the next start goes on with it. */
  close(): Promise<void>;
}
