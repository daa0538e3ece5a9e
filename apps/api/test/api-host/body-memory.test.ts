import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Caller, Core } from '@berth/core';
import { describe, expect, it } from 'vitest';
import { reserveMemory } from '../../src/api-host/body-memory.ts';

const MiB = 1024 ** 2;
const anonymous = (address: string): Caller => ({ kind: 'anonymous', address });

/** Requests of one process. */
function requests() {
  const core = {} as Core;
  return (caller: Caller = anonymous('192.0.2.1')) => {
    const res = Object.assign(new EventEmitter(), { closed: false });
    return {
      reserve: reserveMemory(res as unknown as ServerResponse, core, caller),
      end() {
        res.closed = true;
        res.emit('close');
      },
    };
  };
}

/** Whether a promise has settled once all work of this moment is done. */
async function isSettled(promise: Promise<void> | undefined): Promise<boolean> {
  const pending = Symbol('pending');
  const later = new Promise((resolve) => setImmediate(resolve, pending));
  return (await Promise.race([promise, later])) !== pending;
}

describe('S1: the memory for the bodies of one client is bounded', () => {
  it('so that later requests wait until an earlier one is answered', async () => {
    const begin = requests();
    const [one, two] = [begin(), begin()];
    expect(one.reserve(3 * MiB)).toBeUndefined();
    expect(two.reserve(MiB)).toBeUndefined();
    const more = two.reserve(1);
    expect(await isSettled(more)).toBe(false);
    one.end();
    await more;
  });

  it('but its oldest request never waits', () => {
    const begin = requests();
    const [one, two] = [begin(), begin()];
    for (let sent = 0; sent < 20; sent += 1) expect(one.reserve(MiB)).toBeUndefined();
    expect(two.reserve(1)).toBeInstanceOf(Promise);
    expect(one.reserve(MiB)).toBeUndefined();
  });

  it('and the next request becomes the oldest, however large it is', async () => {
    const begin = requests();
    const [one, two] = [begin(), begin()];
    expect(one.reserve(MiB)).toBeUndefined();
    const large = two.reserve(20 * MiB);
    expect(await isSettled(large)).toBe(false);
    one.end();
    await large;
  });

  it('and other clients are not affected', () => {
    const begin = requests();
    expect(begin(anonymous('192.0.2.1')).reserve(8 * MiB)).toBeUndefined();
    expect(begin(anonymous('192.0.2.2')).reserve(8 * MiB)).toBeUndefined();
  });

  it('and a request whose client has left before its first byte holds none', () => {
    const begin = requests();
    const [one, two] = [begin(), begin()];
    one.end();
    expect(one.reserve(8 * MiB)).toBeUndefined();
    expect(two.reserve(8 * MiB)).toBeUndefined();
    expect(begin().reserve(1)).toBeInstanceOf(Promise);
    two.end();
    expect(begin().reserve(1)).toBeUndefined();
  });

  it('and a request whose client has left does not wait', async () => {
    const begin = requests();
    const [one, two] = [begin(), begin()];
    expect(one.reserve(8 * MiB)).toBeUndefined();
    const more = two.reserve(1);
    two.end();
    await more;
  });
});
