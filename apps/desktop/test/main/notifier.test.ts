import { EventEmitter } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, vi } from 'vitest';
import type { SystemNotification } from '../../src/main/native.ts';
import { type NotificationClass, Notifier } from '../../src/main/shell/notifier.ts';
import { startedApp } from './started-app.ts';

const FOLDER = '0123456789abcdef';
const note = (change: Partial<SystemNotification> = {}): SystemNotification => ({
  about: FOLDER,
  title: 'site is live',
  body: 'https://a.example',
  link: 'https://a.example',
  target: { page: 'folders', id: FOLDER },
  ...change,
});

/** Starts the app, whose window the user has hidden. */
async function startedHidden() {
  const app = await startedApp();
  await vi.waitFor(() => expect(app.fake.window().visible).toBe(true));
  app.fake.window().hide();
  return { ...app, notify: app.backend.options.native.notify };
}

it('the notifier shows silent notifications; a click opens the site (desktop §8.14)', async () => {
  const { fake, backend, notify } = await startedHidden();
  notify(note());
  const [shown] = fake.notifications;
  expect(shown!.options).toMatchObject({ id: FOLDER, title: 'site is live', body: 'https://a.example', silent: true });
  expect(shown!.shown).toBe(true);
  shown!.emit('click');
  const expected = { name: 'openLink', input: { url: 'https://a.example' } };
  await vi.waitFor(() => expect(backend.asked.at(-1)).toStrictEqual(expected));
});

it('the notification of a site has buttons that copy and open its link', async () => {
  const { fake, backend, notify } = await startedHidden();
  notify(note());
  const [shown] = fake.notifications;
  expect(shown!.options.actions.map(({ text }) => text)).toStrictEqual(['Copy', 'Open']);
  const expected = [
    { name: 'copy', input: { text: 'https://a.example' } },
    { name: 'openLink', input: { url: 'https://a.example' } },
  ];
  for (const [actionIndex, command] of expected.entries()) {
    shown!.emit('action', { actionIndex });
    await vi.waitFor(() => expect(backend.asked.at(-1)).toStrictEqual(command));
  }
});

it('a notification without a link has no buttons, and a click shows its folder in the window', async () => {
  const { fake, notify } = await startedHidden();
  await fake.invoke('berth:readState');
  notify(note({ link: null }));
  const [shown] = fake.notifications;
  expect(shown!.options.actions).toStrictEqual([]);
  shown!.emit('click');
  expect(fake.window().visible).toBe(true);
  const event = ['berth:on:navigate', { page: 'folders', id: FOLDER }];
  await vi.waitFor(() => expect(fake.window().webContents.sent.at(-1)).toStrictEqual(event));
});

it('a later notification about the same site replaces the earlier one, and another site keeps its own (B7)', async () => {
  const { fake, notify } = await startedHidden();
  for (let build = 1; build <= 3; build += 1) notify(note({ title: `build ${build} is live` }));
  notify(note({ about: 'another site' }));
  const open = fake.notifications.filter(({ closed }) => !closed).map(({ options }) => options.title);
  expect(open).toStrictEqual(['build 3 is live', 'site is live']);
});

it('the notifier shows nothing while the window is in front, or if the system does not support notifications', async () => {
  const { fake, notify } = await startedHidden();
  fake.machine.notifies = false;
  notify(note());
  fake.machine.notifies = true;
  fake.window().show();
  notify(note());
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
    close = () => undefined;
  }
  const nothing = () => {};
  const notifier = new Notifier({
    Notification: UnreferencedNotification as unknown as NotificationClass,
    isFocused: () => false,
    copyLink: nothing,
    openLink: nothing,
    show: nothing,
  });
  return { made: created, notify: notifier.notify };
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
  for (let at = 0; at < 60; at += 1) notify(note({ about: String(at) }));
  expect(await alive(made)).toBe(50);
});
