import { startAnswering } from '@berth/testing/fake-servers';
import { expect, test } from 'vitest';
import { createClient } from '../../src/client.ts';
import { sendBody } from '../../src/deploy/body.ts';
import { MAX_BODY_BYTES, divideIntoBodies } from '../../src/deploy/send-contents.ts';
import { sha256 } from './worlds.ts';

const MIB = 1024 * 1024;

test('a request body is produced only as fast as the server accepts it, until the caller aborts', async () => {
  const server = await startAnswering((req) => void req.pause());
  const controller = new AbortController();
  let created = 0;
  let hasEnded = false;
  async function* endlessPieces() {
    try {
      for (; created < 512; created += 1) yield Buffer.alloc(MIB);
    } finally {
      hasEnded = true;
    }
  }
  const client = createClient({ server });
  const init = { method: 'PUT', headers: {}, signal: controller.signal };
  const sentBody = sendBody(client, 'x', init, endlessPieces(), { onBytes() {} });
  let countBefore = -1;
  const isHeldBack = () => {
    const isSame = created > 0 && created === countBefore;
    countBefore = created;
    return isSame;
  };
  await expect.poll(isHeldBack, { interval: 100 }).toBe(true);
  expect(created).toBeLessThan(32);
  controller.abort();
  await expect(sentBody).rejects.toMatchObject({ kind: 'aborted' });
  expect(hasEnded).toBe(true);
});

test('contents are divided into bodies in order, and each body is within the limit or a single content', () => {
  const sizes = [1, MAX_BODY_BYTES, 5 * MIB, 2 * MIB, MIB - 200, 0, 3 * MIB, 100 * MIB, 7];
  const contents = sizes.map((size, i) => ({ path: `${i}`, size, sha256: sha256(`${i}`) }));
  const bodies = divideIntoBodies(contents);
  expect(bodies.flat()).toEqual(contents);
  expect(bodies.map((body) => body.map(({ size }) => size))).toEqual([
    [1],
    [MAX_BODY_BYTES],
    [5 * MIB, 2 * MIB, MIB - 200, 0],
    [3 * MIB],
    [100 * MIB],
    [7],
  ]);
});
