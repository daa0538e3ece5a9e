import type { BrowserWindow, WebContents, WebFrameMain } from 'electron';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import type { Backend, Handlers } from '../../src/main/backend.ts';
import { isOurPage, registerIpc } from '../../src/main/ipc/register-ipc.ts';
import { PAGE_URL } from '../../src/main/shell/app-protocol.ts';
import { COMMANDS, commandChannel, GRANT_CHANNEL } from '../../src/shared/channels.ts';
import type { Answer } from '../../src/shared/contract.ts';
import { Problem } from '../../src/shared/problem.ts';
import type { Session } from '../../src/shared/session.ts';
import { createFakeElectron, createFrame, type FakeSender } from '../harness/fake-electron.ts';
import type { FakeWindow } from '../harness/fake-electron/window.ts';
import { GRANT, startedApp } from './started-app.ts';

const CHANNELS = [...COMMANDS.map(commandChannel), GRANT_CHANNEL];

it('the IPC handlers accept only the commands of the contract and drops (desktop §6)', async () => {
  const { fake } = await startedApp();
  expect(fake.channels().toSorted()).toStrictEqual(CHANNELS.toSorted());
});

it('the page receives the output of a command', async () => {
  const { fake, backend } = await startedApp();
  const result = await fake.invoke('berth:readState');
  expect(result).toMatchObject({ ok: true, value: { about: { version: '1.2.3', platform: 'linux', tray: true } } });
  expect(await fake.invoke('berth:copy', { text: 'https://a.example' })).toStrictEqual({ ok: true, value: undefined });
  expect(backend.asked.at(-1)).toStrictEqual({ name: 'copy', input: { text: 'https://a.example' } });
});

/** Senders that could be mistaken for our page. */
const STRANGERS: Record<string, (window: FakeWindow) => FakeSender> = {
  'no frame': ({ webContents: sender }) => ({ sender, senderFrame: null }),
  'a frame in our page': ({ webContents: sender }) => ({
    sender,
    senderFrame: createFrame(PAGE_URL, sender.mainFrame),
  }),
  'another frame with the address of our page': ({ webContents: sender }) => ({
    sender,
    senderFrame: createFrame(PAGE_URL),
  }),
  'the page of another window with the address of ours': () => {
    const senderFrame = createFrame(PAGE_URL);
    return { sender: { id: 0, mainFrame: senderFrame }, senderFrame };
  },
  'another window that shows our frame': ({ webContents }) => ({ sender: {}, senderFrame: webContents.mainFrame }),
  'our frame after it was destroyed': (window) => ourFrame(window, { isDestroyed: { value: () => true } }),
  'our frame when its properties throw': (window) => {
    const getBackend = () => {
      throw new Error('Render frame was disposed before WebFrameMain could be accessed');
    };
    return ourFrame(window, { url: { get: getBackend } });
  },
  'the page of a closed window': (window) => {
    window.destroy();
    return window.asSender();
  },
  // Each of these addresses has the origin `null` (a string), like our page.
  ...Object.fromEntries(
    [
      'berth-app://other/index.html',
      'berth-app://window.other/index.html',
      'berth-app:window/index.html',
      'berth://window/index.html',
      'other-app://window/index.html',
      'file:///window/index.html',
      'data:text/html,berth-app://window/',
      'about:blank',
      'https://window/index.html',
      '',
    ].map((url) => [
      `our frame at ${url || 'no address'}`,
      (window: FakeWindow) => ourFrame(window, { url: { value: url } }),
    ]),
  ),
};

/** The main frame of the window, with some of its properties changed. */
function ourFrame(window: FakeWindow, changes: PropertyDescriptorMap): FakeSender {
  Object.defineProperties(window.webContents.mainFrame, changes);
  return window.asSender();
}

it.for(Object.entries(STRANGERS))('the IPC handlers refuse messages from %s (desktop §6)', async ([, stranger]) => {
  const { fake, backend } = await startedApp();
  backend.asked.splice(0);
  const sender = stranger(fake.window());
  for (const channel of CHANNELS)
    expect(await fake.invoke(channel, channel === GRANT_CHANNEL ? ['/etc'] : undefined, sender)).toStrictEqual({
      ok: false,
      problem: { kind: 'refused', message: 'Only the windows of the app can send commands.', next: null, file: null },
    });
  expect(backend.asked).toStrictEqual([]);
  expect(backend.given).toStrictEqual([]);
});

it('the IPC handlers accept the frame of our page, even if Electron describes it with another object (desktop §6)', async () => {
  const { fake } = await startedApp();
  const { sender, senderFrame } = fake.window().asSender();
  const result = await fake.invoke('berth:readState', undefined, { sender, senderFrame: { ...senderFrame! } });
  expect(result).toMatchObject({ ok: true });
});

it('the IPC handlers refuse the page of the app after its window is destroyed (desktop §6)', () => {
  const mainFrame = { ...createFrame(PAGE_URL) } as unknown as WebFrameMain;
  const webContents = { id: 1, mainFrame } as WebContents;
  const sender = { sender: webContents, senderFrame: mainFrame };
  const window = (gone: boolean) => ({ webContents, isDestroyed: () => gone }) as BrowserWindow;
  expect(isOurPage(sender, window(false))).toBe(true);
  expect(isOurPage(sender, window(true))).toBe(false);
  expect(isOurPage(sender, null)).toBe(false);
});

it('every IPC handler returns a value for any input, and never throws or rejects (desktop §6)', async () => {
  const outcome = fc.oneof(
    fc.anything().map((value) => async () => value),
    fc.anything().map((error) => async () => {
      throw error;
    }),
    fc.anything().map((error) => () => {
      throw error;
    }),
  );
  const input = fc.oneof(
    fc.anything(),
    fc.object(),
    fc.record({ id: fc.string(), text: fc.string() }, { requiredKeys: [] }),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...CHANNELS), input, outcome, async (channel, given, run) => {
      const result = await send(channel, given, run);
      if (result.ok) return;
      expect(Problem.parse(result.problem)).toStrictEqual(result.problem);
    }),
    { numRuns: 300 },
  );
});

it('invalid input does not reach the handler of a command, and input loses fields that are not in the contract', async () => {
  const run = vi.fn<(given: unknown) => Promise<unknown>>(async () => undefined);
  const refusedAnswer = { ok: false, problem: { kind: 'refused' } };
  expect(await send('berth:copy', { text: '' }, run)).toMatchObject(refusedAnswer);
  expect(await send('berth:copy', undefined, run)).toMatchObject(refusedAnswer);
  expect(await send('berth:readState', { all: true }, run)).toMatchObject(refusedAnswer);
  expect(await send('berth:publish', { grants: ['/etc/passwd'] }, run)).toMatchObject(refusedAnswer);
  expect(run).not.toHaveBeenCalled();
  await send('berth:copy', { text: 'a', path: '/etc' }, run);
  expect(run.mock.calls).toStrictEqual([[{ text: 'a' }]]);
});

it('the output of a command loses fields that are not in the contract, so that a key never reaches the page (T40)', async () => {
  const result = await send('berth:signIn', { key: 'berth_secret' }, async () => ({
    email: 'a@b.example',
    key: 'berth_secret',
  }));
  expect(result).toStrictEqual({ ok: true, value: { email: 'a@b.example' } });
  const invalidAnswer = await send('berth:signIn', { key: 'berth_secret' }, async () => ({ key: 'berth_secret' }));
  expect(invalidAnswer).toMatchObject({ ok: false, problem: { kind: 'unexpected' } });
  expect(JSON.stringify(invalidAnswer)).not.toContain('berth_secret');
});

it('dropped paths become grants; at most 1,000 absolute paths are accepted (desktop §6)', async () => {
  const { fake, backend } = await startedApp();
  expect(await fake.invoke(GRANT_CHANNEL, ['/home/me/site'])).toStrictEqual({
    ok: true,
    value: [{ grant: GRANT, name: 'site', kind: 'folder' }],
  });
  const manyPaths = Array.from({ length: 1_000 }, (_, at) => `/home/me/${at}`);
  expect(await fake.invoke(GRANT_CHANNEL, manyPaths)).toMatchObject({ ok: true });
  backend.given.splice(0);
  const invalidLists = [
    [...manyPaths, '/one-more'],
    ['site'],
    ['./site'],
    [''],
    ['/a\0b'],
    [1],
    '/home/me',
    { 0: '/home' },
    null,
  ];
  for (const paths of invalidLists)
    expect(await fake.invoke(GRANT_CHANNEL, paths)).toMatchObject({ ok: false, problem: { kind: 'refused' } });
  expect(backend.given).toStrictEqual([]);
});

it('events lose fields that are not in the contract, and an event that does not match the contract is not sent (T40)', async () => {
  const { fake, backend } = await startedApp();
  await fake.invoke('berth:readState');
  const { sent } = fake.window().webContents;
  await vi.waitFor(() => expect(backend.asked).not.toStrictEqual([]));
  const session: Session = {
    servers: [{ origin: 'https://a.example', signIn: { is: 'signed-out' } }],
    current: 'https://a.example',
    keysKept: 'system',
    online: true,
  };
  const key = { key: 'berth_secret' };
  const servers = [{ origin: 'https://a.example', signIn: { is: 'signed-out' as const, ...key } }];
  backend.options.emit('session', { ...session, servers, ...key });
  expect(sent.at(-1)).toStrictEqual(['berth:on:session', session]);
  backend.options.emit('session', { ...session, servers: [], ...key });
  const problem = { problem: { kind: 'unexpected' } };
  await vi.waitFor(() => expect(sent.at(-1)).toMatchObject(['berth:on:problem', problem]));
  expect(JSON.stringify(sent)).not.toContain('berth_secret');
});

it('a closed window gets no events, and the next window gets the queued events', async () => {
  const { fake, backend } = await startedApp();
  fake.window().destroy();
  backend.options.emit('settings', backend.settings);
  backend.options.emit('navigate', { page: 'folders' });
  expect(fake.windows[0]!.webContents.sent).toStrictEqual([]);
  fake.app.emit('activate');
  const { sent } = fake.window().webContents;
  expect(sent).toStrictEqual([]);
  await fake.invoke('berth:readState');
  await vi.waitFor(() => expect(sent).toStrictEqual([['berth:on:navigate', { page: 'folders' }]]));
});

it('events are queued while the page reloads', async () => {
  const { fake, backend } = await startedApp();
  const { webContents } = fake.window();
  await fake.invoke('berth:readState');
  backend.options.emit('navigate', { page: 'sites' });
  await vi.waitFor(() => expect(webContents.sent).toHaveLength(1));
  webContents.emit('did-start-loading');
  backend.options.emit('navigate', { page: 'folders' });
  expect(webContents.sent).toHaveLength(1);
  await fake.invoke('berth:readState');
  await vi.waitFor(() => expect(webContents.sent.at(-1)?.[1]).toStrictEqual({ page: 'folders' }));
});

/** Sends input to a channel. The command runs the given function. */
function send(channel: string, input: unknown, run: (input: unknown) => Promise<unknown>): Promise<Answer<unknown>> {
  const fake = createFakeElectron({ home: '/nowhere' });
  const window = new fake.electron.BrowserWindow({ title: 'Berth' });
  void window.loadURL(PAGE_URL);
  registerIpc({
    ipcMain: fake.electron.ipcMain,
    windows: () => [window],
    onStateRead: () => {},
    onBug: () => {},
    backend: {
      handlers: Object.fromEntries(COMMANDS.map((name) => [name, run])) as unknown as Handlers,
      give: run as unknown as Backend['give'],
    },
  });
  // Electron refuses input that cannot be cloned before it reaches the app.
  return fake.handler(channel)(fake.window().asSender(), input) as Promise<Answer<unknown>>;
}
