import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import { COMMANDS, EVENTS } from '../../src/shared/channels.ts';
import type { DesktopApi } from '../../src/shared/contract.ts';

const exposeInMainWorld = vi.fn<(name: string, api: DesktopApi) => void>();
const invoke = vi.fn<(...args: unknown[]) => Promise<unknown>>(async () => ({ ok: true, value: null }));
const ipcRenderer = Object.assign(new EventEmitter(), { invoke });
const getPathForFile = (file: { path?: string }) => {
  if (file.path === undefined) throw new TypeError('It is not a file');
  return file.path;
};
vi.doMock('electron', () => ({ contextBridge: { exposeInMainWorld }, ipcRenderer, webUtils: { getPathForFile } }));
await import('../../src/preload/index.ts');
const exposed = [...exposeInMainWorld.mock.calls];
const [, desktop] = exposed[0]!;

const filesAt = (...paths: (string | undefined)[]) => paths.map((path) => ({ path }) as unknown as File);

it('the preload exposes one function for each command and event, and `grant` (desktop §6)', () => {
  expect(exposed).toStrictEqual([['desktop', desktop]]);
  expect(Object.keys(desktop)).toStrictEqual(['commands', 'events', 'grant']);
  expect(Object.keys(desktop.commands)).toStrictEqual(COMMANDS);
  expect(Object.keys(desktop.events)).toStrictEqual(EVENTS);
});

it('a listener of the page gets the data of an event without the event object, until it unsubscribes (desktop §6)', () => {
  const listener = vi.fn<(data: unknown) => void>();
  const unsubscribe = desktop.events.navigate(listener);
  ipcRenderer.emit('berth:on:navigate', { sender: ipcRenderer }, { page: 'sites' });
  unsubscribe();
  ipcRenderer.emit('berth:on:navigate', { sender: ipcRenderer }, { page: 'folders' });
  expect(listener.mock.calls).toStrictEqual([[{ page: 'sites' }]]);
});

it('the preload sends commands and the paths of dropped files, and returns errors as values (desktop §6)', async () => {
  await desktop.commands.copy({ text: 'a' });
  await desktop.grant(filesAt('/home/me/site', '', undefined));
  expect(await desktop.grant(null as unknown as File[])).toStrictEqual({ ok: true, value: null });
  expect(invoke.mock.calls).toStrictEqual([
    ['berth:copy', { text: 'a' }],
    ['berth:grant', ['/home/me/site']],
    ['berth:grant', []],
  ]);
  const tooMany = Array.from({ length: 1_001 }, () => '/a');
  expect(await desktop.grant(filesAt(...tooMany))).toMatchObject({ ok: false, problem: { kind: 'refused' } });
  expect(invoke).toHaveBeenCalledTimes(3);
  invoke.mockRejectedValueOnce(new Error('An object could not be cloned'));
  expect(await desktop.commands.readState()).toMatchObject({ ok: false, problem: { kind: 'unexpected' } });
});
