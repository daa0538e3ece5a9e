import { EventEmitter } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { createNotifier, type NotificationClass } from '../../src/main/shell/notifier.ts';
import { startedApp } from './started-app.ts';

const note = (onClick: () => void = () => {}) => ({ title: 'site is live', body: 'https://a.example', onClick });

it('the notifier shows silent notifications and reports clicks (desktop §8.14)', async () => {
  const { fake, backend } = await startedApp();
  let clicks = 0;
  backend.options.native.notify(note(() => (clicks += 1)));
  const [shown] = fake.notifications;
  expect(shown!.options).toStrictEqual({ title: 'site is live', body: 'https://a.example', silent: true });
  expect(shown!.shown).toBe(true);
  expect(clicks).toBe(0);
  shown!.emit('click');
  expect(clicks).toBe(1);
});

it('the notifier shows nothing if the system does not support notifications', async () => {
  const { fake, backend } = await startedApp();
  fake.machine.notifies = false;
  backend.options.native.notify(note());
  expect(fake.notifications).toStrictEqual([]);
});

/** Shows notifications that only the notifier references. */
function createUnreferencedNotifier() {
  const created: WeakRef<EventEmitter>[] = [];
  class UnreferencedNotification extends EventEmitter {
    static isSupported = () => true;
    constructor() {
      super();
      created.push(new WeakRef(this));
    }
    show = () => undefined;
  }
  return { made: created, notify: createNotifier(UnreferencedNotification as unknown as NotificationClass) };
}

/** The number of notifications that survive a garbage collection. */
async function alive(made: readonly WeakRef<EventEmitter>[]): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  // `deref` keeps an object alive until the end of the current task.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  return made.filter((one) => one.deref() !== undefined).length;
}

it('the notifier keeps a notification and its click handler as long as the notification is shown', async () => {
  const { made, notify } = createUnreferencedNotifier();
  notify(note());
  expect(await alive(made)).toBe(1);
  made[0]!.deref()!.emit('close', { reason: 'timedOut' });
  expect(await alive(made)).toBe(1);
  made[0]!.deref()!.emit('close', {});
  expect(await alive(made)).toBe(0);
});

it('the notifier keeps at most 50 notifications if the system never reports that they are closed', async () => {
  const { made, notify } = createUnreferencedNotifier();
  for (let at = 0; at < 60; at += 1) notify(note());
  expect(await alive(made)).toBe(50);
});
