import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { engineOf, type EngineOptions } from '../../src/main/engine/start-engine.ts';
import { makeHome } from '../harness/app/folders.ts';
import { TestNative } from '../backend/native.ts';

const ENGINE = new URL('../../src/main/engine/index.ts', import.meta.url);

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
  await expect(engineOf(pathToFileURL(program))(options)).rejects.toThrow('The engine has stopped');
  expect(options.onCrash).toHaveBeenCalledWith(expect.objectContaining({ message: 'The thread is broken' }));
});
