import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Caller, Core } from '@berth/core';
import { describe, expect, it } from 'vitest';
import { beginClientTurn, inBeginTurn, inClientTurn } from '../../src/api-host/client-turns.ts';

const anonymous = (address: string): Caller => ({ kind: 'anonymous', address });
const [client, otherClient] = [anonymous('192.0.2.1'), anonymous('192.0.2.2')];
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Creates steps of clients. A step finishes when its `end` is called; `begun` lists the steps that have begun. */
function createSteps() {
  const core = {} as Core;
  const begunTurns: string[] = [];
  const start = (caller: Caller, name: string, inTurn: typeof inClientTurn<string> = inClientTurn) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const result = inTurn(core, caller, () => {
      begunTurns.push(name);
      return promise;
    });
    return { result, end: () => resolve(name), fail: reject };
  };
  return { core, begun: begunTurns, start };
}

describe('S3: the expensive steps of one client', () => {
  it('run at most two at a time, and later steps wait in order', async () => {
    const { begun, start } = createSteps();
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => start(client, name));
    await nextTurn();
    expect(begun).toEqual(['a', 'b']);
    b!.end();
    expect(await b!.result).toBe('b');
    await nextTurn();
    expect(begun).toEqual(['a', 'b', 'c']);
    a!.end();
    c!.end();
    await nextTurn();
    d!.end();
    expect(await d!.result).toBe('d');
  });

  it('do not delay the steps of other clients', async () => {
    const { begun, start } = createSteps();
    for (const name of ['a', 'b', 'c']) start(client, name);
    start(otherClient, 'x');
    await nextTurn();
    expect(begun).toEqual(['a', 'b', 'x']);
  });

  it('let the next step begin after a failure', async () => {
    const { begun, start } = createSteps();
    const [a, , c] = ['a', 'b', 'c'].map((name) => start(client, name));
    const { rejects } = expect(a!.result);
    a!.fail(new Error('disk full'));
    await rejects.toThrow('disk full');
    await nextTurn();
    expect(begun).toContain('c');
    c!.end();
  });

  it('can last until the response has finished', async () => {
    const { core, begun, start } = createSteps();
    const responses = [new EventEmitter(), new EventEmitter()];
    for (const res of responses) await beginClientTurn(core, client, res as unknown as ServerResponse);
    start(client, 'a');
    await nextTurn();
    expect(begun).toEqual([]);
    responses[0]!.emit('close');
    await nextTurn();
    expect(begun).toEqual(['a']);
  });
});

describe('S3: the first steps of the requests of one client', () => {
  /** Begins requests. `arrive` ends the body of a request. */
  function createRequests() {
    const steps = createSteps();
    return {
      begun: steps.begun,
      start(caller: Caller, name: string) {
        const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
        const step = steps.start(caller, name, (core, of, work) => inBeginTurn(core, of, work, arrived));
        return { ...step, arrive };
      },
      startExpensive: (name: string) => steps.start(client, name),
    };
  }

  it('run one after the other: the next one when the body of the one before has arrived', async () => {
    const { begun, start } = createRequests();
    const [a, b] = ['a', 'b'].map((name) => start(client, name));
    await nextTurn();
    expect(begun).toEqual(['a']);
    a!.arrive();
    await nextTurn();
    expect(begun).toEqual(['a']);
    a!.end();
    expect(await a!.result).toBe('a');
    await nextTurn();
    expect(begun).toEqual(['a', 'b']);
    b!.end();
    expect(await b!.result).toBe('b');
  });

  it('do not wait for a slow body', async () => {
    const { begun, start } = createRequests();
    const [a] = ['a', 'b'].map((name) => start(client, name));
    a!.end();
    await a!.result;
    await expect.poll(() => begun).toEqual(['a', 'b']);
  });

  it('let the next step begin after a failure', async () => {
    const { begun, start } = createRequests();
    const [a] = ['a', 'b'].map((name) => start(client, name));
    a!.fail(new Error('no budget'));
    await expect(a!.result).rejects.toThrow('no budget');
    await nextTurn();
    expect(begun).toEqual(['a', 'b']);
  });

  it('wait neither for the expensive steps of the same client nor for the steps of other clients', async () => {
    const { begun, start, startExpensive } = createRequests();
    startExpensive('expensive');
    startExpensive('also expensive');
    start(client, 'a');
    start(otherClient, 'x');
    await nextTurn();
    expect(begun).toEqual(['expensive', 'also expensive', 'a', 'x']);
  });
});
