import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeHome } from '../harness/app/folders.ts';
import { launchOptions, PACKAGED } from './started-app.ts';

const PATIENCE = 20_000;

if (PACKAGED === undefined)
  process.stderr.write('The tests of a package are skipped: BERTH_PACKAGED does not name the program of a package.\n');

describe.skipIf(PACKAGED === undefined)('the packaged app (desktop §4)', () => {
  const resources = () => join(dirname(PACKAGED!), process.platform === 'darwin' ? '../Resources' : 'resources');

  it('starts, and its engine runs from the package (R2, R8)', async () => {
    const home = makeHome();
    const { args, env } = launchOptions('', home);
    const program = spawn(PACKAGED!, args.filter(Boolean), { env, stdio: 'ignore' });
    onTestFinished(() => void program.kill());
    const log = () => readFileSync(join(home, 'logs', 'berth.log'), 'utf8');
    await vi.waitFor(() => expect(log()).toContain('The engine is ready'), PATIENCE);
    expect(log()).not.toContain(' error ');
  });

  it('does not encrypt cookies, so that nothing opens the key store at the start (R20)', async () => {
    const fuses = await getCurrentFuseWire(PACKAGED!);
    expect(fuses[FuseV1Options.EnableCookieEncryption]).toBe(FuseState.DISABLE);
  });

  it.runIf(process.platform === 'darwin')('says why it reads Documents, and its signature is valid (R2, R19)', () => {
    const contents = dirname(resources());
    expect(readFileSync(join(contents, 'Info.plist'), 'utf8')).toContain('NSDocumentsFolderUsageDescription');
    execFileSync('codesign', ['--verify', '--strict', dirname(contents)]);
  });
});
