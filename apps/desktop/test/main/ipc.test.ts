import type { BrowserWindow, WebContents, WebFrameMain } from 'electron';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import type { Backend, Handlers } from '../../src/main/backend.ts';
import { isOurPage, registerIpc } from '../../src/main/ipc/register-ipc.ts';
import { PAGE_URL } from '../../src/main/shell/app-protocol.ts';
import { COMMANDS, commandChannel, GRANT_CHANNEL } from '../../src/shared/channels.ts';
import type { Answer } from '../../src/shared/contract.ts';
import { Problem } from '../../src/shared/problem.ts';
import { createFakeElectron, createFrame, type FakeElectron, type FakeSender } from '../harness/fake-electron.ts';
import { GRANT } from './small-backend.ts';
import { startedApp } from './started-app.ts';

const CHANNELS = [...COMMANDS.map(commandChannel), GRANT_CHANNEL];

it('answers only the commands of the contract and drops (desktop §6)', async () => {
  const { fake } = await startedApp();
  expect(fake.channels().toSorted()).toStrictEqual(CHANNELS.toSorted());
});

it('returns the output of a command to the page', async () => {
  const { fake, backend } = await startedApp();
  const answer = await fake.invoke('berth:readState');
  expect(answer).toMatchObject({ ok: true, value: { about: { version: '1.2.3', platform: 'linux', tray: true } } });
  expect(await fake.invoke('berth:copy', { text: 'https://a.example' })).toStrictEqual({ ok: true, value: undefined });
  expect(backend.asked.at(-1)).toStrictEqual({ name: 'copy', input: { text: 'https://a.example' } });
});

/** Senders that could be mistaken for our page. */
const STRANGERS: Record<string, (fake: FakeElectron) => FakeSender> = {
  'no frame': (fake) => ({ sender: fake.window().webContents, senderFrame: null }),
  'a frame in our page': ({ window }) => {
    const { webContents } = window();
    return { sender: webContents, senderFrame: createFrame(PAGE_URL, webContents.mainFrame) };
  },
  'another frame with the address of our page': ({ window }) => ({
    sender: window().webContents,
    senderFrame: createFrame(PAGE_URL),
  }),
  'the page of another window with the address of ours': ({ window }) => {
    const other = { mainFrame: createFrame(PAGE_URL) };
    return { sender: other, senderFrame: other.mainFrame === window().webContents.mainFrame ? null : other.mainFrame };
  },
  'another window that shows our frame': ({ window }) => ({ sender: {}, senderFrame: window().webContents.mainFrame }),
  'our frame after it was destroyed': ({ window }) => {
    const { webContents } = window();
    Object.assign(webContents.mainFrame, { isDestroyed: () => true });
    return { sender: webContents, senderFrame: webContents.mainFrame };
  },
  'our frame when its properties throw': ({ window }) => {
    const { webContents } = window();
    Object.defineProperty(webContents.mainFrame, 'url', {
      get: () => {
        throw new Error('Render frame was disposed before WebFrameMain could be accessed');
      },
    });
    return { sender: webContents, senderFrame: webContents.mainFrame };
  },
  // The origin of each of these is the string `null`, like that of our page.
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
      ({ window }: FakeElectron) => {
        const { webContents } = window();
        webContents.mainFrame.url = url;
        return { sender: webContents, senderFrame: webContents.mainFrame };
      },
    ]),
  ),
};

it.for(Object.entries(STRANGERS))('refuses messages from %s (desktop §6)', async ([, stranger]) => {
  const { fake, backend } = await startedApp();
  backend.asked.splice(0);
  const sender = stranger(fake);
  for (const channel of CHANNELS)
    expect(await fake.invoke(channel, channel === GRANT_CHANNEL ? ['/etc'] : undefined, sender)).toStrictEqual({
      ok: false,
      problem: { kind: 'refused', message: 'Only the window of the app can send commands.', next: null, file: null },
    });
  expect(backend.asked).toStrictEqual([]);
  expect(backend.given).toStrictEqual([]);
});

it('refuses messages from the page of a closed window (desktop §6)', async () => {
  const { fake, backend } = await startedApp();
  const { webContents } = fake.window();
  fake.window().destroy();
  backend.asked.splice(0);
  const event = { sender: webContents, senderFrame: webContents.mainFrame };
  expect(await fake.invoke('berth:readState', undefined, event)).toMatchObject({ ok: false });
  expect(backend.asked).toStrictEqual([]);
});

it('refuses our page after its window is destroyed, even if everything else matches (desktop §6)', () => {
  const mainFrame = { ...createFrame(PAGE_URL) } as unknown as WebFrameMain;
  const webContents = { mainFrame } as WebContents;
  const sender = { sender: webContents, senderFrame: mainFrame };
  const window = (gone: boolean) => ({ webContents, isDestroyed: () => gone }) as BrowserWindow;
  expect(isOurPage(sender, window(false))).toBe(true);
  expect(isOurPage(sender, window(true))).toBe(false);
  expect(isOurPage(sender, null)).toBe(false);
});

it('answers any input of any channel with a value, and never throws or rejects (desktop §6)', async () => {
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
      const answer = await ask(channel, given, run);
      if (answer.ok) return;
      expect(Problem.parse(answer.problem)).toStrictEqual(answer.problem);
    }),
    { numRuns: 1_000 },
  );
});

it('passes no invalid input to a handler, and removes fields that are not in the contract', async () => {
  const seen: unknown[] = [];
  const run = async (given: unknown) => {
    seen.push(given);
  };
  expect(await ask('berth:copy', { text: '' }, run)).toMatchObject({ ok: false, problem: { kind: 'refused' } });
  expect(await ask('berth:copy', undefined, run)).toMatchObject({ ok: false, problem: { kind: 'refused' } });
  expect(await ask('berth:readState', { all: true }, run)).toMatchObject({ ok: false, problem: { kind: 'refused' } });
  expect(await ask('berth:publish', { grants: ['/etc/passwd'] }, run)).toMatchObject({ ok: false });
  expect(seen).toStrictEqual([]);
  await ask('berth:copy', { text: 'a', path: '/etc' }, run);
  expect(seen).toStrictEqual([{ text: 'a' }]);
});

it('reduces the output of a command to the contract, so that a key never reaches the page (T40)', async () => {
  const answer = await ask('berth:signIn', { key: 'berth_secret' }, async () => ({
    email: 'a@b.example',
    key: 'berth_secret',
  }));
  expect(answer).toStrictEqual({ ok: true, value: { email: 'a@b.example' } });
  const wrong = await ask('berth:signIn', { key: 'berth_secret' }, async () => ({ key: 'berth_secret' }));
  expect(wrong).toMatchObject({ ok: false, problem: { kind: 'unexpected' } });
  expect(JSON.stringify(wrong)).not.toContain('berth_secret');
});

it('turns dropped paths into grants, and accepts only absolute ones, at most 1,000 (desktop §6)', async () => {
  const { fake, backend } = await startedApp();
  expect(await fake.invoke(GRANT_CHANNEL, ['/home/me/site'])).toStrictEqual({
    ok: true,
    value: [{ grant: GRANT, name: 'site', kind: 'folder' }],
  });
  const many = Array.from({ length: 1_000 }, (_, at) => `/home/me/${at}`);
  expect(await fake.invoke(GRANT_CHANNEL, many)).toMatchObject({ ok: true });
  backend.given.splice(0);
  for (const bad of [
    [...many, '/one-more'],
    ['site'],
    ['./site'],
    [''],
    ['/a\0b'],
    [1],
    '/home/me',
    { 0: '/home' },
    null,
  ])
    expect(await fake.invoke(GRANT_CHANNEL, bad)).toMatchObject({ ok: false, problem: { kind: 'refused' } });
  expect(backend.given).toStrictEqual([]);
});

it('reduces events to the contract, and sends none that does not match it (T40)', async () => {
  const { fake, backend } = await startedApp();
  await fake.invoke('berth:readState');
  const { sent } = fake.window().webContents;
  await vi.waitFor(() => expect(backend.asked).not.toStrictEqual([]));
  const session = {
    servers: [{ origin: 'https://a.example', signIn: { is: 'signed-out' as const, key: 'berth_secret' } }],
    current: 'https://a.example',
    keysKept: 'system' as const,
    online: true,
    key: 'berth_secret',
  };
  backend.options.emit('session', session);
  expect(sent.at(-1)).toStrictEqual({
    channel: 'berth:on:session',
    data: {
      servers: [{ origin: 'https://a.example', signIn: { is: 'signed-out' } }],
      current: 'https://a.example',
      keysKept: 'system',
      online: true,
    },
  });
  backend.options.emit('session', { ...session, servers: [] });
  await vi.waitFor(() =>
    expect(sent.at(-1)).toMatchObject({ channel: 'berth:on:problem', data: { problem: { kind: 'unexpected' } } }),
  );
  expect(JSON.stringify(sent)).not.toContain('berth_secret');
});

it('sends nothing to a closed window, and queued events to the next one', async () => {
  const { fake, backend } = await startedApp();
  fake.window().destroy();
  backend.options.emit('settings', backend.settings);
  backend.options.emit('navigate', { page: 'folders' });
  expect(fake.windows[0]!.webContents.sent).toStrictEqual([]);
  fake.app.emit('activate');
  const { sent } = fake.window().webContents;
  expect(sent).toStrictEqual([]);
  await fake.invoke('berth:readState');
  await vi.waitFor(() => expect(sent).toStrictEqual([{ channel: 'berth:on:navigate', data: { page: 'folders' } }]));
});

it('queues events while the page reloads', async () => {
  const { fake, backend } = await startedApp();
  const { webContents } = fake.window();
  await fake.invoke('berth:readState');
  backend.options.emit('navigate', { page: 'sites' });
  await vi.waitFor(() => expect(webContents.sent).toHaveLength(1));
  webContents.emit('did-start-loading');
  backend.options.emit('navigate', { page: 'folders' });
  expect(webContents.sent).toHaveLength(1);
  await fake.invoke('berth:readState');
  await vi.waitFor(() => expect(webContents.sent.at(-1)?.data).toStrictEqual({ page: 'folders' }));
});

/** Sends input to a channel whose command runs the given function. */
async function ask(
  channel: string,
  input: unknown,
  run: (input: unknown) => Promise<unknown>,
): Promise<Answer<unknown>> {
  const fake = createFakeElectron({ home: '/nowhere' });
  const window = new fake.electron.BrowserWindow({ title: 'Berth' });
  void window.loadURL(PAGE_URL);
  registerIpc({
    ipcMain: fake.electron.ipcMain,
    window: () => window,
    backend: {
      handlers: Object.fromEntries(COMMANDS.map((name) => [name, run])) as unknown as Handlers,
      give: run as unknown as Backend['give'],
    },
  });
  // Input that cannot be cloned never gets this far.
  const handled = (fake.handler(channel) as (event: unknown, input: unknown) => Promise<Answer<unknown>>)(
    { sender: window.webContents, senderFrame: window.webContents.mainFrame },
    input,
  );
  return handled;
}
