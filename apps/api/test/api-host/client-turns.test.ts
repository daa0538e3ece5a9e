import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Caller, Core } from '@berth/core';
import { describe, expect, it } from 'vitest';
import { beginClientTurn, inClientTurn } from '../../src/api-host/client-turns.ts';

const anonymous = (address: string): Caller => ({ kind: 'anonymous', address });
const [one, other] = [anonymous('192.0.2.1'), anonymous('192.0.2.2')];
const allDone = () => new Promise((resolve) => setImmediate(resolve));

/** Starts steps that end on request, and records which have begun. */
function steps() {
  const core = {} as Core;
  const begun: string[] = [];
  const start = (caller: Caller, name: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const result = inClientTurn(core, caller, () => {
      begun.push(name);
      return promise;
    });
    return { result, end: () => resolve(name), fail: reject };
  };
  return { core, begun, start };
}

describe('S3: the expensive steps of one client', () => {
  it('run two at once, and the others wait in order', async () => {
    const { begun, start } = steps();
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => start(one, name));
    await allDone();
    expect(begun).toEqual(['a', 'b']);
    b!.end();
    expect(await b!.result).toBe('b');
    await allDone();
    expect(begun).toEqual(['a', 'b', 'c']);
    a!.end();
    c!.end();
    await allDone();
    d!.end();
    expect(await d!.result).toBe('d');
  });

  it('do not delay those of other clients', async () => {
    const { begun, start } = steps();
    for (const name of ['a', 'b', 'c']) start(one, name);
    start(other, 'x');
    await allDone();
    expect(begun).toEqual(['a', 'b', 'x']);
  });

  it('make way when they fail', async () => {
    const { begun, start } = steps();
    const [a, , c] = ['a', 'b', 'c'].map((name) => start(one, name));
    const { rejects } = expect(a!.result);
    a!.fail(new Error('disk full'));
    await rejects.toThrow('disk full');
    await allDone();
    expect(begun).toContain('c');
    c!.end();
  });

  it('may last until the answer ends', async () => {
    const { core, begun, start } = steps();
    const responses = [new EventEmitter(), new EventEmitter()];
    for (const res of responses) await beginClientTurn(core, one, res as unknown as ServerResponse);
    start(one, 'a');
    await allDone();
    expect(begun).toEqual([]);
    responses[0]!.emit('close');
    await allDone();
    expect(begun).toEqual(['a']);
  });
});
