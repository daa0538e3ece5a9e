import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { useServer } from '@berth/testing/use-server';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Backend } from '../../src/main/backend.ts';
import { engineOf, type EngineOptions } from '../../src/main/engine/start-engine.ts';
import { makeHome, writeContents } from '../harness/app/folders.ts';
import { TestNative } from '../backend/native.ts';

const ENGINE = {
  engine: new URL('../../src/main/engine/index.ts', import.meta.url),
  disk: new URL('../../src/main/engine/disk.ts', import.meta.url),
};

function optionsWith(change: Partial<EngineOptions> = {}) {
  const home = makeHome();
  const onCrash = vi.fn<(error: unknown) => void>();
  const emit = vi.fn<EngineOptions['emit']>();
  const native = new TestNative();
  const about = { version: '1.0.0', platform: 'linux', tray: true, canOpenAtLogin: true } as const;
  const server = 'http://127.0.0.1:1';
  const options = { native, about, dataDir: join(home, 'data'), cacheDir: join(home, 'cache'), server, emit, onCrash };
  return { ...options, ...change, native, onCrash, emit };
}

it('the engine in its thread answers commands, reports events, and asks the main thread for the system', async () => {
  const options = optionsWith();
  const engine = await engineOf(ENGINE)(options);
  onTestFinished(() => engine.close());
  expect(await engine.handlers.readState(undefined)).toMatchObject({ about: { version: '1.0.0' }, publishings: [] });
  await engine.handlers.copy({ text: 'copied' });
  expect(options.native.copied).toEqual(['copied']);
  options.native.broken.copyText = new Error('no clipboard');
  await expect(engine.handlers.copy({ text: 'x' })).rejects.toMatchObject({ problem: { kind: 'refused' } });
  await engine.handlers.changeSettings({ theme: 'dark' });
  expect(options.emit).toHaveBeenCalledWith('settings', expect.objectContaining({ theme: 'dark' }));
  expect(options.native.themes.at(-1)).toBe('dark');
  expect(engine.summary()).toMatchObject({ status: 'idle' });
  expect(options.onCrash).not.toHaveBeenCalled();
});

it('the engine reports that its data cannot be read', async () => {
  const options = optionsWith({ dataDir: '/dev/null/data' });
  await expect(engineOf(ENGINE)(options)).rejects.toThrow(/ENOTDIR|EEXIST|not a directory/);
});

it('if the thread of the engine ends, its error is reported, and commands fail instead of waiting (B8)', async () => {
  const program = join(makeHome(), 'broken.mjs');
  writeFileSync(
    program,
    `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', () => setImmediate(() => { throw new Error('The thread is broken'); }));`,
  );
  const options = optionsWith();
  await expect(engineOf({ ...ENGINE, engine: pathToFileURL(program) })(options)).rejects.toThrow(
    'The engine has stopped',
  );
  expect(options.onCrash).toHaveBeenCalledWith(expect.objectContaining({ message: 'The thread is broken' }));
});

const server = useServer();

async function drop(engine: Backend, folder: string): Promise<string> {
  const [given] = await engine.give([folder]);
  const { publishings } = await engine.handlers.publish({ grants: [given!.grant] });
  return publishings[0]!;
}

const stateOf = async (engine: Backend, id: string) =>
  (await engine.handlers.readState(undefined)).publishings.find((one) => one.id === id)?.state;

/** The most time that the window, the tray or Cancel may take to answer, in milliseconds. */
const ANSWER_WITHIN_MS = 100;

/** Returns the shortest time of ten calls, in milliseconds: other tests delay some calls, but a blocked drive delays all. */
async function shortestMs(call: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 10; i += 1) {
    const startedMs = performance.now();
    await call();
    times.push(performance.now() - startedMs);
  }
  return Math.min(...times);
}

it('while reads of a folder block for ten seconds, window, tray and Cancel answer within 100 ms, and other folders are published (R8, house B10)', async () => {
  const home = makeHome();
  const blockingDisk = new URL('blocking-disk.ts', import.meta.url);
  const options = optionsWith({ server: `http://localhost:${server().port}` });
  const engine = await engineOf({ ...ENGINE, disk: blockingDisk })(options);
  onTestFinished(() => engine.close());
  writeContents(home, { 'silent-drive/site/index.html': 'silent', 'disk/site/index.html': 'responding' });
  const silent = await drop(engine, join(home, 'silent-drive/site'));
  await vi.waitFor(async () => expect(await stateOf(engine, silent)).toMatchObject({ is: 'working' }), 10_000);
  expect(await shortestMs(() => stateOf(engine, silent))).toBeLessThan(ANSWER_WITHIN_MS);
  expect(await shortestMs(() => expect(engine.summary().status).toBe('working'))).toBeLessThan(ANSWER_WITHIN_MS);
  const cancel = async () => {
    await engine.handlers.cancelPublishing({ id: silent });
    expect(await stateOf(engine, silent)).toEqual({ is: 'cancelled' });
  };
  const retry = () => engine.handlers.retryPublishing({ id: silent });
  expect(await shortestMs(() => cancel().finally(retry))).toBeLessThan(ANSWER_WITHIN_MS);
  await cancel();

  const other = await drop(engine, join(home, 'disk/site'));
  await vi.waitFor(async () => expect(await stateOf(engine, other)).toMatchObject({ is: 'published' }), 9_000);
  // Until now, the drive has blocked the thread that reads from it.
  writeFileSync(join(home, 'released'), '');
  await engine.handlers.retryPublishing({ id: silent });
  await vi.waitFor(async () => expect(await stateOf(engine, silent)).toMatchObject({ is: 'published' }), 20_000);
  expect(options.onCrash).not.toHaveBeenCalled();
});

it('the engine closes while a drive blocks a thread that reads a folder', async () => {
  const home = makeHome();
  const engine = await engineOf({ ...ENGINE, disk: new URL('blocking-disk.ts', import.meta.url) })(optionsWith());
  writeContents(home, { 'silent-drive/site/index.html': 'silent' });
  const silent = await drop(engine, join(home, 'silent-drive/site'));
  await vi.waitFor(async () => expect(await stateOf(engine, silent)).toMatchObject({ is: 'working' }), 10_000);
  const released = sleep(8_000, 'the drive responds', { ref: false });
  expect(await Promise.race([engine.close().then(() => 'closed'), released])).toBe('closed');
  writeFileSync(join(home, 'released'), '');
});
