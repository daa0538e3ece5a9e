import type { askerOf } from '@berth/testing/requests';
import type { History, Order } from './history.ts';

/** Few contents for many deploys, so that most of them race for the same ones. */
const POOL = Array.from({ length: 8 }, (_, i) => `shared ${i} `.repeat(40 * (i + 1)));
/** More than fits into memory during an upload: the pack of such an upload has a file before the upload is complete. */
const BIG_BYTES = 1_100_000;

/**
 * Creates orders of every kind, each with its own marker: small and big, with and without a key, as a form and as a
 * delta upload, of the owner and anonymous.
 */
export function createOrders(
  random: () => number,
): (wish?: Partial<Pick<Order, 'owner' | 'broken'>> & { big?: boolean }) => Order {
  let made = 0;
  const shared = () => POOL[Math.floor(random() * POOL.length)]!;
  return ({ big = random() < 0.2, owner = random() < 0.7, broken = random() < 0.1 } = {}) => {
    made += 1;
    const marker = `order-${made}.txt`;
    const isNew = random() < 0.8;
    const files: Order['files'] = {
      'index.html': `<h1>${isNew ? made : 'Shared'}</h1>`,
      [marker]: isNew ? `order ${made}` : shared(),
    };
    for (let i = 0; i < 2; i += 1) files[`shared/${i}.txt`] = shared();
    if (big) files['big.txt'] = Buffer.alloc(BIG_BYTES, `big ${random() < 0.5 ? made : 'shared'} `);
    const key = random() < 0.7 ? `key-${made}` : null;
    // An interrupted upload without a key stays open, and an address can have only three open uploads.
    const delta = made % 5 > 2 && (owner || key !== null);
    return { marker, files, key, owner, broken, delta };
  };
}

export type NextOrder = ReturnType<typeof createOrders>;

/**
 * Requests in parallel: eight deploys, one of them sent twice with its key and one that is refused after all its bytes
 * arrived; reads of what exists; and a deletion. Resolves when each is answered or will never be.
 */
export async function sendWave(
  history: History,
  asker: ReturnType<typeof askerOf>,
  random: () => number,
  nextOrder: NextOrder,
): Promise<void> {
  const there = history.live();
  const own = there.filter(({ owner }) => owner);
  const doomed = own[Math.floor(random() * own.length)];
  const orders = [nextOrder({ big: true, broken: true }), ...Array.from({ length: 7 }, () => nextOrder())];
  const keyed = orders.find(({ key }) => key !== null);
  await Promise.all([
    ...orders.map((order) => history.send(asker, order)),
    ...(keyed ? [history.send(asker, keyed)] : []),
    ...there.slice(-5).map((order) => history.read(asker, order)),
    ...(doomed ? [history.remove(asker, history.deployments.get(doomed.marker)!)] : []),
  ]);
}
