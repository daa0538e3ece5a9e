import { expect, it } from 'vitest';
import { systemEnvironment } from '../../src/main/shell/tray-host.ts';

it('programs of the system get the environment without the libraries and programs of an AppImage (R13)', () => {
  const image = {
    APPDIR: '/tmp/.mount',
    PATH: '/tmp/.mount:/tmp/.mount/usr/sbin:/usr/bin',
    LD_LIBRARY_PATH: '/tmp/.mount/usr/lib',
  };
  expect(systemEnvironment({ ...image, HOME: '/home/me' })).toEqual({
    APPDIR: '/tmp/.mount',
    PATH: '/usr/bin',
    HOME: '/home/me',
  });
  const installed = { PATH: '/usr/bin', LD_LIBRARY_PATH: '/opt/lib' };
  expect(systemEnvironment(installed)).toEqual(installed);
});
