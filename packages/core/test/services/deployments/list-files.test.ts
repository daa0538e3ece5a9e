import { hash } from 'node:crypto';
import type { DeploymentFile } from '@berth/contract';
import { createTestCore, deploySite } from '@berth/testing/core';
import { afterAll, describe, expect, it } from 'vitest';
import { setTakenDown } from '../../../src/services/deployments/take-downs.ts';
import { listFiles } from '../../../src/services/deployments/list-files.ts';

const test = await createTestCore();
const caller = (await test.account('team')).caller;
const own = { core: test.core, caller };
afterAll(() => test.close());

const publish = async (files: Record<string, string>) => (await deploySite(test.core, caller, files)).body.deployment;
const byUtf8 = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Reads all pages of a list of files. */
async function readAll(deployment: string, limit: number): Promise<DeploymentFile[]> {
  const files: DeploymentFile[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await listFiles(own, deployment, { limit, cursor });
    expect(page.files.length).toBeLessThanOrEqual(limit);
    files.push(...page.files);
    cursor = page.nextCursor;
    if (cursor === undefined) return files;
  }
}

describe('api §3: the files of a deployment', () => {
  it('are listed with size and SHA-256, sorted by path, whatever the size of the pages', async () => {
    const longPath = `${'x'.repeat(200)}/${'y'.repeat(200)}/${'z'.repeat(200)}`;
    const contents: Record<string, string> = {
      'z.txt': 'last',
      'docs/index.html': 'home',
      'Docs/index.html': '',
      'docs.html': 'home',
      'ä.txt': 'umlaut',
      '\u{1F600}.txt': 'astral',
      '\uFF5E.txt': 'before astral in UTF-8, after it in UTF-16',
      [longPath]: 'a path that is longer than a cursor can be',
    };
    const deployment = await publish(contents);
    const expected = Object.entries(contents)
      .map(([path, text]) => ({ path, size: Buffer.byteLength(text), sha256: hash('sha256', text) }))
      .toSorted((a, b) => byUtf8(a.path, b.path));
    for (const limit of [1, 3, 7, 8, 100]) expect(await readAll(deployment, limit)).toEqual(expected);
  });

  it('are listed for the owner of a deployment that was taken down', async () => {
    const deployment = await publish({ 'index.html': 'home' });
    await setTakenDown(test.core, deployment, true);
    expect(await readAll(deployment, 10)).toMatchObject([{ path: 'index.html', size: 4 }]);
  });

  it('have a cursor that belongs to the deployment', async () => {
    const files = { 'a.txt': 'a', 'b.txt': 'b' };
    const [deployment, otherDeployment] = [await publish(files), await publish(files)];
    const { nextCursor } = await listFiles(own, deployment, { limit: 1 });
    await expect(listFiles(own, otherDeployment, { limit: 1, cursor: nextCursor })).rejects.toMatchObject({
      code: 'validation_failed',
    });
  });
});
