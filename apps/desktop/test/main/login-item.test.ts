import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { DESKTOP_NAME } from '../../src/main/shell/identity.ts';
import { createLoginItem } from '../../src/main/shell/login-item.ts';
import { makeHome } from '../harness/app/folders.ts';
import { FakeApp } from '../harness/fake-electron/app.ts';
import { createRecorder } from '../harness/fake-electron/recorder.ts';
import { startedApp } from './started-app.ts';

function loginItem(platform: string, given: { env?: NodeJS.ProcessEnv; program?: string; packaged?: boolean } = {}) {
  const home = makeHome();
  const recorder = createRecorder();
  const app = new FakeApp({ home, packaged: given.packaged }, recorder, []);
  const options = { platform, env: {}, program: '/opt/Berth/berth', home, ...given };
  const item = createLoginItem(app as unknown as Parameters<typeof createLoginItem>[0], options);
  return { item, app, recorder, file: join(home, '.config', 'autostart', DESKTOP_NAME) };
}

it('on Linux, an autostart entry starts the app without its window (desktop §2)', async () => {
  const { item, file } = loginItem('linux');
  expect(item.available).toBe(true);
  expect(await item.isOn()).toBe(false);
  await item.set(true);
  expect(readFileSync(file, 'utf8').split('\n')).toStrictEqual([
    '[Desktop Entry]',
    'Type=Application',
    'Name=Berth',
    'Comment=Publishes watched folders',
    'Exec="/opt/Berth/berth" "--hidden"',
    'Icon=berth-desktop',
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ]);
  expect(await item.isOn()).toBe(true);
  await item.set(false);
  expect(existsSync(file)).toBe(false);
  await item.set(false);
  expect(await item.isOn()).toBe(false);
});

it('the autostart entry is in the user’s configuration folder', async () => {
  const config = makeHome();
  const { item, file } = loginItem('linux', { env: { XDG_CONFIG_HOME: config } });
  await item.set(true);
  expect(existsSync(join(config, 'autostart', DESKTOP_NAME))).toBe(true);
  expect(existsSync(file)).toBe(false);
});

it('the autostart entry starts the AppImage, not the program unpacked from it', async () => {
  const home = makeHome();
  const env = { APPIMAGE: '/home/me/Berth.AppImage', XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home };
  const { backend } = await startedApp({ env });
  await backend.options.native.loginItem.set(true);
  const entry = readFileSync(join(home, 'autostart', DESKTOP_NAME), 'utf8');
  expect(entry).toContain('\nExec="/home/me/Berth.AppImage" "--hidden"\n');
});

it('the autostart entry quotes the path of the app by the rules of desktop entries', async () => {
  const { item, file } = loginItem('linux', { program: '/opt/50% "my" $HOME `x` back\\slash/berth' });
  await item.set(true);
  const exec = readFileSync(file, 'utf8')
    .split('\n')
    .find((line) => line.startsWith('Exec='))!;
  expect(programOf(exec)).toBe('/opt/50% "my" $HOME `x` back\\slash/berth');
  expect(exec).not.toMatch(/(^|[^%])%([^%]|$)/);
});

it('no autostart entry is written for a path that an entry cannot contain', async () => {
  const { item, file } = loginItem('linux', { program: '/opt/a\nExec=evil/berth' });
  await expect(item.set(true)).rejects.toThrow('control characters');
  expect(existsSync(file)).toBe(false);
});

it.for(['Hidden=true', 'X-GNOME-Autostart-enabled=false', 'Hidden = true'])(
  'starting at login is off if the autostart entry contains %s',
  async (line) => {
    const { item, file } = loginItem('linux');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `[Desktop Entry]\nType=Application\n${line}\n`);
    expect(await item.isOn()).toBe(false);
    await item.set(true);
    expect(await item.isOn()).toBe(true);
  },
);

it('starting at login uses the API of macOS and Windows, on Windows with the argument that hides the window', async () => {
  const macLoginItem = loginItem('darwin');
  await macLoginItem.item.set(true);
  expect(macLoginItem.recorder.of('app.setLoginItemSettings')).toStrictEqual([[{ openAtLogin: true }]]);
  expect(await macLoginItem.item.isOn()).toBe(true);
  await macLoginItem.item.set(false);
  expect(await macLoginItem.item.isOn()).toBe(false);

  const windowsLoginItem = loginItem('win32', { program: 'C:\\Berth\\Berth.exe' });
  await windowsLoginItem.item.set(true);
  expect(windowsLoginItem.recorder.of('app.setLoginItemSettings')).toStrictEqual([
    [{ openAtLogin: true, path: 'C:\\Berth\\Berth.exe', args: ['--hidden'] }],
  ]);
  expect(await windowsLoginItem.item.isOn()).toBe(true);
  expect(existsSync(macLoginItem.file)).toBe(false);
});

it('starting at login is off if the Windows task manager disabled it, and on when the user enables it again', async () => {
  const { item, app } = loginItem('win32', { program: 'C:\\Berth\\Berth.exe' });
  await item.set(true);
  app.loginItem.disabled = true;
  expect(await item.isOn()).toBe(false);
  await item.set(true);
  expect(await item.isOn()).toBe(true);
});

it('starting at login is not available if the app is not installed', async () => {
  const { item, file } = loginItem('linux', { packaged: false });
  expect(item.available).toBe(false);
  expect(await item.isOn()).toBe(false);
  await item.set(false);
  await expect(item.set(true)).rejects.toThrow('installed');
  expect(existsSync(file)).toBe(false);
});

/** Parses an `Exec` line like a desktop does: by the rules of all values, then by the rules of the `Exec` key. */
function programOf(exec: string): string {
  const value = exec.slice('Exec='.length).replaceAll(/\\(.)/g, '$1');
  const quotedPath = /^"((?:[^"\\]|\\.)*)"/.exec(value)![1]!;
  return quotedPath.replaceAll(/\\(.)/g, '$1').replaceAll('%%', '%');
}
