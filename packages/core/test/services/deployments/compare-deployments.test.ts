import { createTestCore, deploySite, refusal, type TestFiles } from '@berth/testing/core';
import { afterAll, describe, expect, it } from 'vitest';
import { compareDeployments } from '../../../src/services/deployments/compare-deployments.ts';

const test = await createTestCore();
const [{ caller }, { caller: stranger }] = [await test.account('team'), await test.account('team')];
const own = { core: test.core, caller };
afterAll(() => test.close());

const publish = async (files: TestFiles, by = caller) => (await deploySite(test.core, by, files)).body.deployment;

describe('api §3: a comparison of two deployments', () => {
  it('lists what was added, changed and removed, by path', async () => {
    const from = await publish({ 'index.html': 'old', 'same.css': 'same', 'b/gone.txt': 'gone', 'moved.txt': 'moved' });
    const deployment = await publish({
      'index.html': 'new',
      'same.css': 'same',
      'B.txt': 'new',
      'a/moved.txt': 'moved',
    });
    expect(await compareDeployments(own, deployment, from)).toEqual({
      deployment,
      from,
      added: 2,
      changed: 1,
      removed: 2,
      files: [
        { path: 'B.txt', change: 'added' },
        { path: 'a/moved.txt', change: 'added' },
        { path: 'b/gone.txt', change: 'removed' },
        { path: 'index.html', change: 'changed' },
        { path: 'moved.txt', change: 'removed' },
      ],
    });
    expect(await compareDeployments(own, from, from)).toEqual({
      deployment: from,
      from,
      added: 0,
      changed: 0,
      removed: 0,
      files: [],
    });
  });

  it('counts all files and lists the first 100', async () => {
    const from = await publish({ 'index.html': 'home' });
    const files = Object.fromEntries(
      Array.from({ length: 150 }, (_, i) => [`${String(i).padStart(3, '0')}.txt`, `${i}`]),
    );
    const { added, removed, files: listed } = await compareDeployments(own, await publish(files), from);
    expect({ added, removed, listed: listed.length, last: listed.at(-1) }).toEqual({
      added: 150,
      removed: 1,
      listed: 100,
      last: { path: '099.txt', change: 'added' },
    });
  });

  it('needs two deployments of the account', async () => {
    const [mine, theirs] = [await publish({ 'index.html': 'mine' }), await publish({ 'index.html': 'x' }, stranger)];
    for (const [deployment, from] of [
      [mine, theirs],
      [theirs, mine],
      [mine, 'calm-otter-zzzzzzz'],
    ] as const)
      expect(await refusal(compareDeployments(own, deployment, from))).toMatchObject({ code: 'not_found' });
  });
});
