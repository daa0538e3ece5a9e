import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { copyBytes } from '../../src/storage/copy-bytes.ts';

const PRIVATE = () => Buffer.alloc(200, 7);
const SHARED = () => Buffer.from(new SharedArrayBuffer(200)).fill(7);

it.each([
  { from: 'private', to: 'private', source: PRIVATE, target: PRIVATE },
  { from: 'private', to: 'shared', source: PRIVATE, target: SHARED },
  { from: 'shared', to: 'private', source: SHARED, target: PRIVATE },
  { from: 'shared', to: 'shared', source: SHARED, target: SHARED },
])('copies bytes from $from to $to memory at any offset, and leaves the bytes around them', ({ source, target }) => {
  for (const length of [0, 1, 3, 64, 100]) {
    const bytes = source().subarray(5, 5 + length);
    randomBytes(length).copy(bytes);
    const copied = target();
    copyBytes(bytes, copied, 33);
    expect(copied).toEqual(Buffer.concat([Buffer.alloc(33, 7), bytes, Buffer.alloc(200 - 33 - length, 7)]));
  }
});
