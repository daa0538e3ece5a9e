import { expect, it, onTestFinished, vi } from 'vitest';
import { makeHome } from '../harness/app/folders.ts';
import { createFakeElectron } from '../harness/fake-electron.ts';

it('the real app starts on a fake Electron, listens on no port, and quits (desktop §3, §6)', async () => {
  const home = makeHome();
  const { argv } = process;
  onTestFinished(() => {
    Object.assign(process, { argv, resourcesPath: undefined });
    vi.doUnmock('electron');
    vi.doUnmock('../../src/main/memory.ts');
  });
  Object.assign(process, { argv: argv.slice(0, 1), resourcesPath: home });
  const fake = createFakeElectron({ home });
  const boundMemory = vi.fn<() => void>();
  vi.doMock('electron', () => fake.electron);
  vi.doMock('../../src/main/memory.ts', () => ({ boundMemory }));
  const listening = () => process.getActiveResourcesInfo().filter((name) => name.includes('Server'));
  const listenersBefore = listening();
  await import('../../src/main/index.ts');
  await vi.waitFor(() => expect(fake.recorder.names()).toContain('window.loadURL'), { timeout: 20_000 });
  expect(await fake.invoke('berth:readState')).toMatchObject({ ok: true });
  expect(listening()).toStrictEqual(listenersBefore);
  expect(boundMemory).toHaveBeenCalledOnce();
  fake.app.quit();
  expect(await fake.app.ended).toBe(0);
});
