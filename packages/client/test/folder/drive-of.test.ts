import { expect, it } from 'vitest';
import { driveOf, type Machine, parseMountPoints } from '../../src/folder/drive-of.ts';

const MOUNTS = [
  '27 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
  '28 27 254:1 / /home rw,relatime - ext4 /dev/vdb rw',
  '29 27 0:40 / /mnt/nas rw,relatime - nfs4 nas:/srv rw',
  '30 29 0:41 / /mnt/nas/deep rw,relatime - nfs4 nas:/deep rw',
  '31 27 0:42 / /media/Back\\040up rw,relatime - vfat /dev/sdc1 rw',
  '',
].join('\n');

const LINUX: Machine = { platform: 'linux', home: '/home/mara', mountPoints: () => parseMountPoints(MOUNTS) };
const MAC: Machine = { platform: 'darwin', home: '/Users/mara', mountPoints: () => [] };
const WINDOWS: Machine = { platform: 'win32', home: 'C:\\Users\\mara', mountPoints: () => [] };

it.each([
  ['a mounted drive is the longest mount point above a path', LINUX, '/mnt/nas/deep/site', '/mnt/nas/deep'],
  ['folders on one mounted drive share it', LINUX, '/mnt/nas/site', '/mnt/nas'],
  ['a mount point that is only a prefix of the name is another drive', LINUX, '/mnt/nas-2/site', '/mnt/nas-2/site'],
  ['a mount point may contain spaces', LINUX, '/media/Back up/site', '/media/Back up'],
  ['a folder on the disk of the home folder is a separate drive', LINUX, '/home/mara/site', '/home/mara/site'],
  ['a folder on the disk of the system is a separate drive', LINUX, '/srv/site', '/srv/site'],
  ['a volume of macOS is a drive', MAC, '/Volumes/nas/a/site', '/Volumes/nas'],
  ['a folder on the startup disk of macOS is a separate drive', MAC, '/Users/mara/site', '/Users/mara/site'],
  ['a drive letter of Windows is a drive', WINDOWS, 'Z:\\a\\site', 'z:\\'],
  ['a network share of Windows is a drive', WINDOWS, '\\\\Nas\\web\\site', '\\\\nas\\web\\'],
  ['a folder on the system drive of Windows is a separate drive', WINDOWS, 'C:\\site', 'C:\\site'],
] as const)('%s', (_title, machine, path, drive) => {
  expect(driveOf(path, machine)).toBe(drive);
});

it('each path is a separate drive if the mount points are unknown', () => {
  expect(driveOf('/mnt/nas/site', { ...LINUX, mountPoints: () => [] })).toBe('/mnt/nas/site');
});
