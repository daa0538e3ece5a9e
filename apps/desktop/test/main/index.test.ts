import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeHome } from '../harness/app/folders.ts';

it('starts the real program and backend on the fake Electron, listens on no port, and quits (desktop §3, §6)', async () => {
  const home = makeHome();
  const child = spawn(
    process.execPath,
    ['--import', join(import.meta.dirname, 'program', 'hooks.ts'), join(import.meta.dirname, 'program', 'run.ts')],
    { env: { ...process.env, BERTH_TEST_HOME: home }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let written = '';
  let complaints = '';
  child.stdout.on('data', (data: Buffer) => (written += data.toString()));
  child.stderr.on('data', (data: Buffer) => (complaints += data.toString()));
  const [code] = (await once(child, 'close')) as [number];
  expect([code, complaints]).toStrictEqual([0, '']);
  expect(JSON.parse(written)).toStrictEqual({
    calls: expect.arrayContaining(['app.enableSandbox', 'protocol.handle', 'window.loadURL']),
    sandboxBeforeReady: true,
    state: expect.objectContaining({ ok: true }),
    listening: [],
    exitCode: 0,
  });
});
