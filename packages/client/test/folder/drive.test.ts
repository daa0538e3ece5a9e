import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { askDrive, unlessGivenUp } from '../../src/folder/drive.ts';

const { signal } = new AbortController();
const never = new Promise<never>(() => {});

describe('a drive that is asked', () => {
  it('says what is at a path, or that nobody may know', async () => {
    expect((await askDrive(tmpdir(), signal))?.isDirectory()).toBe(true);
    expect(await askDrive(join(tmpdir(), crypto.randomUUID()), signal)).toBeNull();
  });

  it('is waited for until the caller gives up, and no longer', async () => {
    const leaving = new AbortController();
    const waiting = unlessGivenUp(never, leaving.signal);
    leaving.abort();
    await expect(waiting).rejects.toMatchObject({ kind: 'aborted' });
    await expect(unlessGivenUp(never, leaving.signal)).rejects.toMatchObject({ kind: 'aborted' });
  });

  it('is of no interest when it fails after the caller gave up', async () => {
    const leaving = new AbortController();
    const late = Promise.withResolvers<never>();
    const waiting = unlessGivenUp(late.promise, leaving.signal);
    leaving.abort();
    await expect(waiting).rejects.toMatchObject({ kind: 'aborted' });
    // A rejection that nobody hears would end the program.
    late.reject(new Error('the drive is gone'));
  });
});
