import type { WatchRule } from '@berth/client';
import { expect, onTestFinished, vi } from 'vitest';
import type { Backend } from '../../src/main/backend.ts';
import { openBackend } from '../../src/main/open-backend.ts';
import type { CommandName } from '../../src/shared/channels.ts';
import { type CommandInput, type CommandOutput, commands, type EventData, events } from '../../src/shared/contract.ts';
import type { NextDropOptions, Published, Publishing } from '../../src/shared/publishing.ts';
import { type Contents, makeHome, makeSite as makeNamedSite } from '../harness/app/folders.ts';
import { testNative, type TestNative } from './native.ts';

/** One event that the page received. */
interface EmittedEvent {
  name: string;
  data: unknown;
  /** In milliseconds. */
  at: number;
}

/** The app without its windows, with the commands of a user. */
export interface Desktop {
  backend: Backend;
  native: TestNative;
  dataDir: string;
  cacheDir: string;
  emitted: EmittedEvent[];
  /** Runs a command of the page. Checks its input and output against the contract. */
  ask<C extends CommandName>(name: C, input: CommandInput<C>): Promise<CommandOutput<C>>;
  /** Drops the items at some paths. @returns The ids of the publishings. */
  drop(paths: readonly string[], options?: NextDropOptions): Promise<string[]>;
  find(id: string): Promise<Publishing>;
  /** Waits until a publishing is in a state. */
  until<S extends Publishing['state']['is']>(
    id: string,
    is: S,
  ): Promise<Publishing & { state: Extract<Publishing['state'], { is: S }> }>;
  published(id: string): Promise<Published>;
  /** Quits the app and starts it again. */
  restart(): Promise<Desktop>;
}

export interface DesktopOptions {
  server: string;
  dataDir?: string;
  cacheDir?: string;
  native?: TestNative;
  watchRule?: Partial<WatchRule>;
}

/** Opens an app with short pauses. It is closed after the test. */
export async function openDesktop(options: DesktopOptions): Promise<Desktop> {
  const { server, native = testNative(), dataDir = makeHome(), cacheDir = makeHome() } = options;
  const emitted: EmittedEvent[] = [];
  const backend = await openBackend({
    native,
    about: { version: '1.0.0', platform: 'linux', tray: true, canOpenAtLogin: true },
    dataDir,
    cacheDir,
    server,
    retries: { firstMs: 5, longestMs: 20, attempts: 2 },
    watchRule: { firstPauseMs: 20, longestPauseMs: 50, ...options.watchRule },
    emit(name, data) {
      expect(events[name].safeParse(data).error).toBeUndefined();
      emitted.push({ name, data: structuredClone(data), at: performance.now() });
    },
  });
  onTestFinished(() => backend.close());

  const ask: Desktop['ask'] = async (name, input) => {
    const handler = backend.handlers[name] as (input: unknown) => Promise<unknown>;
    const output = await handler(commands[name].input.parse(input));
    expect(commands[name].output.safeParse(output).error).toBeUndefined();
    return output as never;
  };

  async function find(id: string): Promise<Publishing> {
    const { publishings } = await ask('readState', undefined);
    const found = publishings.find((one) => one.id === id);
    if (!found) throw new Error(`There is no publishing ${id}.`);
    return found;
  }

  const until: Desktop['until'] = (id, is) =>
    vi.waitFor(
      async () => {
        const found = await find(id);
        if (found.state.is !== is) throw new Error(`It is ${JSON.stringify(found.state)}, and not ${is}.`);
        return found as never;
      },
      { timeout: 10_000, interval: 5 },
    );

  return {
    backend,
    native,
    dataDir,
    cacheDir,
    emitted,
    ask,
    async drop(paths, options = {}) {
      const granted = await backend.give(paths);
      await ask('setNextDrop', options);
      return (await ask('publish', { grants: granted.map(({ grant }) => grant) })).publishings;
    },
    find,
    until,
    published: async (id) => (await until(id, 'published')).state.published,
    async restart() {
      await backend.close();
      return openDesktop({ ...options, native, dataDir, cacheDir });
    },
  };
}

/** The lists of publishings that were emitted. */
export function listsOf({ emitted }: Desktop): EventData<'publishings'>[] {
  return emitted.filter(({ name }) => name === 'publishings').map(({ data }) => data as EventData<'publishings'>);
}

/** Creates a folder with files. It is removed after the test. */
export function makeSite(files: Contents, name = 'site'): string {
  return makeNamedSite(name, files);
}
