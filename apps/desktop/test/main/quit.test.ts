import { expect, it, vi } from 'vitest';
import { stopBeforeQuit } from '../../src/main/shell/quit.ts';
import { FakeApp } from '../harness/fake-electron/app.ts';
import { createRecorder } from '../harness/fake-electron/recorder.ts';

function quittable(close: () => Promise<void>, limitMs?: number) {
  const app = new FakeApp({ home: '/nowhere' }, createRecorder(), []);
  const quitting = stopBeforeQuit(app as unknown as Parameters<typeof stopBeforeQuit>[0], close, limitMs);
  return { app, quitting };
}

it('quits only after running work has ended', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { app, quitting } = quittable(() => promise);
  expect(quitting.begun()).toBe(false);
  app.quit();
  expect(quitting.begun()).toBe(true);
  await Promise.resolve();
  expect(app.exitCode).toBeNull();
  resolve();
  expect(await app.ended).toBe(0);
});

it('quits even if ending the work fails', async () => {
  const { app } = quittable(() => Promise.reject(new Error('The disk is full')));
  app.quit();
  expect(await app.ended).toBe(0);
});

it('quits after a few seconds even if running work does not end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { app } = quittable(() => new Promise(() => {}));
    app.quit();
    await vi.advanceTimersByTimeAsync(4_999);
    expect(app.exitCode).toBeNull();
    await vi.advanceTimersByTimeAsync(1);
    expect(app.exitCode).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

it('ends running work only once, however often it is called', async () => {
  const close = vi.fn(async () => {});
  const { app, quitting } = quittable(close);
  await Promise.all([quitting.stop(), quitting.stop()]);
  app.quit();
  expect(await app.ended).toBe(0);
  expect(close).toHaveBeenCalledOnce();
});
