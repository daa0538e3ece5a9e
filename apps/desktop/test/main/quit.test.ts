import { expect, it, onTestFinished, vi } from 'vitest';
import { stopBeforeQuit } from '../../src/main/shell/quit.ts';
import { FakeApp } from '../harness/fake-electron/app.ts';
import { createRecorder } from '../harness/fake-electron/recorder.ts';

function quittable(close: () => Promise<void>) {
  const app = new FakeApp({ home: '/nowhere' }, createRecorder(), []);
  stopBeforeQuit(app as unknown as Parameters<typeof stopBeforeQuit>[0], close);
  return app;
}

it('quits even if ending the work fails', async () => {
  const app = quittable(() => Promise.reject(new Error('The disk is full')));
  app.quit();
  expect(await app.ended).toBe(0);
});

it('quits after a few seconds even if running work does not end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const app = quittable(() => new Promise(() => {}));
  app.quit();
  await vi.advanceTimersByTimeAsync(4_999);
  expect(app.exitCode).toBeNull();
  await vi.advanceTimersByTimeAsync(1);
  expect(app.exitCode).toBe(0);
});
