import type { TestClient } from '@berth/testing/requests';
import type { History, Order } from './history.ts';

/** Few contents for many deploys, so that deploys often store the same content at the same time. */
const CONTENT_POOL = Array.from({ length: 8 }, (_, i) => `shared ${i} `.repeat(40 * (i + 1)));
/** More bytes than an upload keeps in memory, so that its pack has a file before the upload is complete. */
const BIG_BYTES = 1_100_000;

/** Creates orders of every kind, each with its own marker. */
export function createOrders(
  random: () => number,
): (options?: Partial<Pick<Order, 'owner' | 'broken' | 'linked'>> & { big?: boolean }) => Order {
  let lastNumber = 0;
  const pooledContent = () => CONTENT_POOL[Math.floor(random() * CONTENT_POOL.length)]!;
  return ({ big = random() < 0.2, owner = random() < 0.7, broken = random() < 0.1, linked = true } = {}) => {
    lastNumber += 1;
    const marker = `order-${lastNumber}.txt`;
    const isNew = random() < 0.8;
    const files: Order['files'] = {
      'index.html': `<h1>${isNew ? lastNumber : 'Shared'}</h1>`,
      [marker]: isNew ? `order ${lastNumber}` : pooledContent(),
    };
    for (let i = 0; i < 2; i += 1) files[`shared/${i}.txt`] = pooledContent();
    if (big) files['big.txt'] = Buffer.alloc(BIG_BYTES, `big ${random() < 0.5 ? lastNumber : 'shared'} `);
    const key = random() < 0.7 ? `key-${lastNumber}` : null;
    // An interrupted upload without a key stays open, and an address can have only three open uploads.
    const delta = lastNumber % 5 > 2 && (owner || key !== null);
    const isLinked = linked && lastNumber % 3 === 0 && owner && key !== null;
    return { marker, files, key, owner, broken, delta, linked: isLinked };
  };
}

export type NextOrder = ReturnType<typeof createOrders>;

/** Sends deploys, reads and a deletion in parallel. One deploy is sent twice, and one is refused at its end. */
export async function sendWave(
  history: History,
  client: TestClient,
  random: () => number,
  nextOrder: NextOrder,
): Promise<void> {
  const liveOrders = history.unlinked();
  const ownLive = liveOrders.filter(({ owner }) => owner);
  const toDelete = ownLive[Math.floor(random() * ownLive.length)];
  const orders = [nextOrder({ big: true, broken: true }), ...Array.from({ length: 7 }, () => nextOrder())];
  const repeatedOrder = orders.find(({ key }) => key !== null);
  await Promise.all([
    ...orders.map((order) => history.send(client, order)),
    ...(repeatedOrder ? [history.send(client, repeatedOrder)] : []),
    ...liveOrders.slice(-5).map((order) => history.read(client, order)),
    ...(toDelete ? [history.remove(client, history.deployments.get(toDelete.marker)!)] : []),
  ]);
}
