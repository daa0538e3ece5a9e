import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, type WatchRule } from '@berth/client';
import { startProxy } from '@berth/testing/proxy';
import type { TestServer } from '@berth/testing/server';
import { expect, onTestFinished, vi } from 'vitest';
import type { Backend } from '../../src/main/backend.ts';
import { openBackend } from '../../src/main/open-backend.ts';
import type { CommandName } from '../../src/shared/channels.ts';
import { type CommandInput, type CommandOutput, commands, type EventData, events } from '../../src/shared/contract.ts';
import type { NextDropOptions, Publishing } from '../../src/shared/publishing.ts';
import { type Contents, makeHome, makeSite as makeNamedSite } from '../harness/app/folders.ts';
import { TestNative } from './native.ts';

export const PAGE = '<!doctype html><title>hi</title>';

/** Creates random bytes, so that no server has them yet. */
export const randomlyFilled = (bytes: number) => Buffer.alloc(bytes, crypto.randomUUID());

/** Creates a folder with files. The folder is removed after the test. */
export const makeSite = (files: Contents = { 'index.html': PAGE }, name = 'site') => makeNamedSite(name, files);

interface DesktopOptions {
  /** The server that the app was made for; `undefined` for none. */
  server: string | undefined;
  dataDir?: string;
  cacheDir?: string;
  native?: TestNative;
  watchRule?: Partial<WatchRule>;
}

/** Makes the pause after a failed publish job longer than any test. */
export const SLOW_RETRIES = { watchRule: { firstPauseMs: 3_600_000, longestPauseMs: 3_600_000 } };

/** Opens an app that retries after short pauses. The app is closed after the test. */
export async function openDesktop(options: DesktopOptions): Promise<Desktop> {
  const { server, native = new TestNative(), dataDir = makeHome(), cacheDir = makeHome() } = options;
  const emitted: Desktop['emitted'] = [];
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
      emitted.push({ name, data: structuredClone(data) });
    },
  });
  onTestFinished(() => backend.close());
  return new Desktop(backend, { ...options, native, dataDir, cacheDir }, emitted);
}

/** Opens a signed-out app with a proxy between it and the server. */
export async function openProxied(server: TestServer, options: Partial<DesktopOptions> = {}) {
  const proxy = await startProxy(server.port);
  const desktop = await openDesktop({ server: proxy.url, ...options });
  /** Holds back the matching requests until the test calls `letGo`. */
  const holdRequests = (matches: (path: string, method?: string) => boolean = () => true) => {
    const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<undefined>()];
    proxy.trouble = ({ method }, path) => {
      if (!matches(path, method)) return undefined;
      reached.resolve();
      return gate.promise;
    };
    return { reached: reached.promise, letGo: () => gate.resolve(undefined) };
  };
  return Object.assign(desktop, { proxy, hold: holdRequests });
}

/** Opens an app that is signed in to a new account, with a proxy between it and the server. */
export async function openSignedIn(server: TestServer, plan = 'scale', options: Partial<DesktopOptions> = {}) {
  const { key } = await server.account(plan);
  const desktop = await openProxied(server, options);
  await desktop.ask('signIn', { key });
  const { api } = createClient({ server: `http://localhost:${server.port}`, key });
  const deployments = async () => (await api.deployments.list.query({})).deployments;
  return Object.assign(desktop, { key, deployments });
}

/** The app without its windows, with the commands of a user. */
export class Desktop {
  readonly backend: Backend;
  readonly native: TestNative;
  readonly dataDir: string;
  readonly cacheDir: string;
  /** The events that the page received. */
  readonly emitted: { name: string; data: unknown }[];
  readonly #options: DesktopOptions;

  constructor(
    backend: Backend,
    options: DesktopOptions & { native: TestNative; dataDir: string; cacheDir: string },
    emitted: Desktop['emitted'],
  ) {
    ({ native: this.native, dataDir: this.dataDir, cacheDir: this.cacheDir } = options);
    this.backend = backend;
    this.emitted = emitted;
    this.#options = options;
  }

  /** Quits the app and starts it again. */
  async restart(): Promise<Desktop> {
    await this.backend.close();
    return openDesktop(this.#options);
  }

  /** Runs a command of the page. Checks the command's input and output against the contract. */
  ask = async <C extends CommandName>(name: C, input: CommandInput<C>): Promise<CommandOutput<C>> => {
    const handler = this.backend.handlers[name] as (input: unknown) => Promise<unknown>;
    const output = await handler(commands[name].input.parse(input));
    expect(commands[name].output.safeParse(output).error).toBeUndefined();
    return output as never;
  };

  /** Drops the items at the given paths. @returns The ids of the publish jobs. */
  async drop(paths: readonly string[], options: NextDropOptions = {}): Promise<string[]> {
    const grantedItems = await this.backend.give(paths);
    await this.ask('setNextDrop', options);
    return (await this.ask('publish', { grants: grantedItems.map(({ grant }) => grant) })).publishings;
  }

  /** Drops a folder. @returns The id of its publish job. */
  async dropSite(path = makeSite(), options: NextDropOptions = {}): Promise<string> {
    const [id] = await this.drop([path], options);
    return id!;
  }

  /** Drops a folder and waits until it is published. */
  async publish(path = makeSite(), options: NextDropOptions = {}) {
    const id = await this.dropSite(path, options);
    return { id, ...(await this.published(id)) };
  }

  publishings = async () => (await this.ask('readState', undefined)).publishings;

  async find(id: string): Promise<Publishing> {
    const foundPublishing = (await this.publishings()).find((one) => one.id === id);
    if (!foundPublishing) throw new Error(`There is no publishing ${id}.`);
    return foundPublishing;
  }

  /** Waits until a publish job is in a state. */
  until<S extends Publishing['state']['is']>(
    id: string,
    is: S,
  ): Promise<Publishing & { state: Extract<Publishing['state'], { is: S }> }> {
    const check = async () => {
      const foundPublishing = await this.find(id);
      if (foundPublishing.state.is !== is)
        throw new Error(`It is ${JSON.stringify(foundPublishing.state)}, and not ${is}.`);
      return foundPublishing as never;
    };
    return vi.waitFor(check, { timeout: 10_000, interval: 5 });
  }

  /** Waits until a running publish job is in a phase. */
  async untilPhase(id: string, phase: string, more: object = {}): Promise<void> {
    const state = { is: 'working', progress: { phase, ...more } };
    await expect.poll(async () => (await this.find(id)).state).toMatchObject(state);
  }

  published = async (id: string) => (await this.until(id, 'published')).state.published;

  /** The lists of publish jobs that were emitted. */
  lists = () =>
    this.emitted.filter(({ name }) => name === 'publishings').map(({ data }) => data as EventData<'publishings'>);

  /** The ids of publish jobs that have copies of files. */
  staged(): string[] {
    const dir = join(this.cacheDir, 'staging');
    return existsSync(dir) ? readdirSync(dir) : [];
  }
}
