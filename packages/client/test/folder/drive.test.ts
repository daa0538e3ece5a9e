import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  driveOf,
  type Machine,
  onDriveWithin,
  parseMountPoints,
  statOnDrive,
  unlessAborted,
} from '../../src/folder/drive.ts';

const { signal } = new AbortController();
const neverSettles = new Promise<never>(() => {});
/** Returns a path on the disk of the system, which counts as a separate drive. */
const ownDrive = () => join(parse(process.cwd()).root, crypto.randomUUID());

describe('a drive', () => {
  it('returns the stats of a path, or null if the path cannot be read', async () => {
    expect((await statOnDrive(tmpdir(), signal))?.isDirectory()).toBe(true);
    expect(await statOnDrive(join(tmpdir(), crypto.randomUUID()), signal)).toBeNull();
  });

  it('no longer blocks a caller that aborts, and may fail afterwards', async () => {
    const leaving = new AbortController();
    const unfinishedCall = Promise.withResolvers<never>();
    const waitingCall = unlessAborted(unfinishedCall.promise, leaving.signal);
    leaving.abort();
    await expect(waitingCall).rejects.toMatchObject({ kind: 'aborted' });
    await expect(unlessAborted(unfinishedCall.promise, leaving.signal)).rejects.toMatchObject({ kind: 'aborted' });
    // Without a handler, the test runner would report the rejection.
    unfinishedCall.reject(new Error('the drive is gone'));
  });

  it('runs the work of its callers one after the other, in order of arrival', async () => {
    const path = ownDrive();
    const firstWork = Promise.withResolvers<void>();
    const callBegan = Promise.withResolvers<void>();
    const order: string[] = [];
    const driveWorks = [
      onDriveWithin(path, 60_000, async () => {
        callBegan.resolve();
        await firstWork.promise;
        order.push('first');
      }),
      callBegan.promise.then(() => onDriveWithin(path, 60_000, async () => void order.push('second'))),
    ];
    await callBegan.promise;
    firstWork.resolve();
    await Promise.all(driveWorks);
    expect(order).toEqual(['first', 'second']);
  });

  it('that does not respond fails the first call after the time limit, and later calls at once', async () => {
    const path = join(ownDrive(), 'dist');
    const failure = { kind: 'folder', message: expect.stringContaining('The drive with “dist” does not answer.') };
    await expect(onDriveWithin(path, 20, () => neverSettles)).rejects.toMatchObject(failure);
    let workCount = 0;
    await expect(onDriveWithin(path, 20, async () => (workCount += 1))).rejects.toMatchObject(failure);
    expect(workCount).toBe(0);
  });

  it('skips callers that aborted before the drive responded', async () => {
    const path = ownDrive();
    const driveResponse = Promise.withResolvers<void>();
    const slowWork = onDriveWithin(path, 60_000, () => driveResponse.promise);
    const leaving = new AbortController();
    const waitingStat = statOnDrive(path, leaving.signal);
    leaving.abort();
    await expect(waitingStat).rejects.toMatchObject({ kind: 'aborted' });
    driveResponse.resolve();
    await slowWork;
    expect(await statOnDrive(path, signal)).toBeNull();
  });
});

const MOUNTS = [
  '27 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
  '28 27 254:1 / /home rw,relatime - ext4 /dev/vdb rw',
  '29 27 0:40 / /mnt/nas rw,relatime - nfs4 nas:/srv rw',
  '30 29 0:41 / /mnt/nas/deep rw,relatime - nfs4 nas:/deep rw',
  '31 27 0:42 / /media/Back\\040up rw,relatime - vfat /dev/sdc1 rw',
  '',
].join('\n');

const LINUX: Machine = { platform: 'linux', home: '/home/mara', mountPoints: () => parseMountPoints(MOUNTS) };
const MAC_MACHINE: Machine = { platform: 'darwin', home: '/Users/mara', mountPoints: () => [] };
const WINDOWS: Machine = { platform: 'win32', home: 'C:\\Users\\mara', mountPoints: () => [] };

it.each([
  ['a mounted drive is the longest mount point above a path', LINUX, '/mnt/nas/deep/site', '/mnt/nas/deep'],
  ['folders on the same mounted drive have the same drive', LINUX, '/mnt/nas/site', '/mnt/nas'],
  ['a mount point that is only a prefix of a name is not the drive', LINUX, '/mnt/nas-2/site', '/mnt/nas-2/site'],
  ['a mount point may contain spaces', LINUX, '/media/Back up/site', '/media/Back up'],
  ['a folder on the disk of the home folder is a separate drive', LINUX, '/home/mara/site', '/home/mara/site'],
  ['a folder on the disk of the system is a separate drive', LINUX, '/srv/site', '/srv/site'],
  ['a volume of macOS is a drive', MAC_MACHINE, '/Volumes/nas/a/site', '/Volumes/nas'],
  ['a folder on the startup disk of macOS is a separate drive', MAC_MACHINE, '/Users/mara/site', '/Users/mara/site'],
  ['a drive letter of Windows is a drive', WINDOWS, 'Z:\\a\\site', 'z:\\'],
  ['a network share of Windows is a drive', WINDOWS, '\\\\Nas\\web\\site', '\\\\nas\\web\\'],
  ['a folder on the system drive of Windows is a separate drive', WINDOWS, 'C:\\site', 'C:\\site'],
] as const)('driveOf returns the drive of a path: %s', (_title, machine, path, drive) => {
  expect(driveOf(path, machine)).toBe(drive);
});

it('each path is a separate drive if the mount points are unknown', () => {
  expect(driveOf('/mnt/nas/site', { ...LINUX, mountPoints: () => [] })).toBe('/mnt/nas/site');
});
