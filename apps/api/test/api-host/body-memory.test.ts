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
  return (caller: Caller, maxBytes = MiB) => {
    const res = new EventEmitter() as unknown as ServerResponse;
    return { take: reserveMemory(res, core, caller, maxBytes), end: () => res.emit('close') };
  };
}

describe('S1: the memory for the bodies of one client is bounded', () => {
  it('until its answers end', () => {
    const begin = requests();
    const [one, two] = [begin(anonymous('192.0.2.1')), begin(anonymous('192.0.2.1'))];
    one.take(20 * MiB);
    two.take(12 * MiB);
    expect(() => two.take(1)).toThrow(expect.objectContaining({ code: 'rate_limit_exceeded', retryAfterSeconds: 1 }));
    one.end();
    two.take(20 * MiB);
    two.end();
    begin(anonymous('192.0.2.1')).take(32 * MiB);
  });

  it('and other clients are not affected', () => {
    const begin = requests();
    begin(anonymous('192.0.2.1')).take(32 * MiB);
    begin(anonymous('192.0.2.2')).take(32 * MiB);
  });

  it('a single body of the maximum size always fits', () => {
    const begin = requests();
    const { take } = begin(anonymous('192.0.2.1'), 100 * MiB);
    for (let sent = 0; sent < 100; sent += 1) take(MiB);
    expect(() => take(1)).toThrow();
  });
});
