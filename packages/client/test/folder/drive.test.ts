import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { describe, expect, it } from 'vitest';
import { statOnDrive, onDriveWithin, unlessAborted } from '../../src/folder/drive.ts';

const { signal } = new AbortController();
const never = new Promise<never>(() => {});
/** A path on the disk of the system, which counts as a separate drive. */
const ownDrive = () => join(parse(process.cwd()).root, crypto.randomUUID());

describe('a drive', () => {
  it('returns what is at a path, or null if it cannot be read', async () => {
    expect((await statOnDrive(tmpdir(), signal))?.isDirectory()).toBe(true);
    expect(await statOnDrive(join(tmpdir(), crypto.randomUUID()), signal)).toBeNull();
  });

  it('stops blocking the caller when the caller aborts', async () => {
    const leaving = new AbortController();
    const waiting = unlessAborted(never, leaving.signal);
    leaving.abort();
    await expect(waiting).rejects.toMatchObject({ kind: 'aborted' });
    await expect(unlessAborted(never, leaving.signal)).rejects.toMatchObject({ kind: 'aborted' });
  });

  it('may fail after the caller has aborted', async () => {
    const leaving = new AbortController();
    const late = Promise.withResolvers<never>();
    const waiting = unlessAborted(late.promise, leaving.signal);
    leaving.abort();
    await expect(waiting).rejects.toMatchObject({ kind: 'aborted' });
    // An unhandled rejection would end the program.
    late.reject(new Error('the drive is gone'));
  });

  it('does one piece of work at a time, in order of arrival', async () => {
    const path = ownDrive();
    const first = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const order: string[] = [];
    const works = [
      onDriveWithin(path, 60_000, async () => {
        began.resolve();
        await first.promise;
        order.push('first');
      }),
      began.promise.then(() => onDriveWithin(path, 60_000, async () => void order.push('second'))),
    ];
    await began.promise;
    first.resolve();
    await Promise.all(works);
    expect(order).toEqual(['first', 'second']);
  });

  it('that does not respond in time fails the first call after the limit, and later calls at once', async () => {
    const path = join(ownDrive(), 'dist');
    const failure = { kind: 'folder', message: expect.stringContaining('The drive with “dist” does not answer.') };
    await expect(onDriveWithin(path, 20, () => never)).rejects.toMatchObject(failure);
    let worked = 0;
    await expect(onDriveWithin(path, 20, async () => (worked += 1))).rejects.toMatchObject(failure);
    expect(worked).toBe(0);
  });

  it('drops callers that aborted before it responded', async () => {
    const path = ownDrive();
    const answer = Promise.withResolvers<void>();
    const slow = onDriveWithin(path, 60_000, () => answer.promise);
    const leaving = new AbortController();
    const waiting = statOnDrive(path, leaving.signal);
    leaving.abort();
    await expect(waiting).rejects.toMatchObject({ kind: 'aborted' });
    answer.resolve();
    await slow;
    expect(await statOnDrive(path, signal)).toBeNull();
  });
});
