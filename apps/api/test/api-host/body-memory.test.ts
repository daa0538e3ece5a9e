import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Caller, Core } from '@berth/core';
import { describe, expect, it } from 'vitest';
import { reserveMemory } from '../../src/api-host/body-memory.ts';

const MiB = 1024 ** 2;
const anonymous = (address: string): Caller => ({ kind: 'anonymous', address });

/** Returns a function that begins requests to one process. */
function createProcess() {
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

/** Whether a promise settles before the next turn of the event loop. */
async function isSettled(promise: Promise<void> | undefined): Promise<boolean> {
  const pending = Symbol('pending');
  const nextTurn = new Promise((resolve) => setImmediate(resolve, pending));
  return (await Promise.race([promise, nextTurn])) !== pending;
}

describe('S1: the memory for the request bodies of one client', () => {
  it('is bounded: a later request waits until an earlier request has finished', async () => {
    const beginRequest = createProcess();
    const [first, second] = [beginRequest(), beginRequest()];
    expect(first.reserve(3 * MiB)).toBeUndefined();
    expect(second.reserve(MiB)).toBeUndefined();
    const additionalBytes = second.reserve(1);
    expect(await isSettled(additionalBytes)).toBe(false);
    first.end();
    await additionalBytes;
  });

  it('never makes the oldest request wait', () => {
    const beginRequest = createProcess();
    const [first, second] = [beginRequest(), beginRequest()];
    for (let megabytes = 0; megabytes < 20; megabytes += 1) expect(first.reserve(MiB)).toBeUndefined();
    expect(second.reserve(1)).toBeInstanceOf(Promise);
    expect(first.reserve(MiB)).toBeUndefined();
  });

  it('lets a waiting request continue as soon as it is the oldest, however large its body is', async () => {
    const beginRequest = createProcess();
    const [first, second] = [beginRequest(), beginRequest()];
    expect(first.reserve(MiB)).toBeUndefined();
    const largeReservation = second.reserve(20 * MiB);
    expect(await isSettled(largeReservation)).toBe(false);
    first.end();
    await largeReservation;
  });

  it('is counted separately for each client', () => {
    const beginRequest = createProcess();
    expect(beginRequest(anonymous('192.0.2.1')).reserve(8 * MiB)).toBeUndefined();
    expect(beginRequest(anonymous('192.0.2.2')).reserve(8 * MiB)).toBeUndefined();
  });

  it('is not reserved for a request whose client has left before the first byte', () => {
    const beginRequest = createProcess();
    const [first, second] = [beginRequest(), beginRequest()];
    first.end();
    expect(first.reserve(8 * MiB)).toBeUndefined();
    expect(second.reserve(8 * MiB)).toBeUndefined();
    expect(beginRequest().reserve(1)).toBeInstanceOf(Promise);
    second.end();
    expect(beginRequest().reserve(1)).toBeUndefined();
  });

  it('no longer makes a request wait after its client has left', async () => {
    const beginRequest = createProcess();
    const [first, second] = [beginRequest(), beginRequest()];
    expect(first.reserve(8 * MiB)).toBeUndefined();
    const additionalBytes = second.reserve(1);
    second.end();
    await additionalBytes;
  });

  it('is bounded for contents as well: a request that waits for both kinds gets both', async () => {
    const beginRequest = createProcess();
    const [first, second] = [beginRequest(), beginRequest()];
    expect(first.reserve(4 * MiB)).toBeUndefined();
    expect(first.reserve(16 * MiB, 'contents')).toBeUndefined();
    const parts = second.reserve(1);
    const contents = second.reserve(1, 'contents');
    expect(await isSettled(parts)).toBe(false);
    expect(await isSettled(contents)).toBe(false);
    first.end();
    await parts;
    await contents;
  });
});
