import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { footprintOf } from '@berth/testing/expectations';
import { deployHead, file, type Form, multipart, post, withChecksums } from '@berth/testing/multipart';
import { OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';

let beforeNewPack: () => Promise<void> = async () => {};
const server = useServer({
  parts: ({ packs }) => ({ packs: { ...packs, create: (pack) => beforeNewPack().then(() => packs.create(pack)) } }),
  clean: true,
});

/** How a client leaves: it closes its connection normally, or with a reset. */
type Leaving = 'end' | 'reset';

const OWNER = { Authorization: `Bearer ${OWNER_KEY}` };
const PARALLEL_CLIENTS = 4;
const CLIENTS = 8;
/** Creates a form that is small enough to be kept in memory. */
const smallForm = () => multipart(withChecksums([file('index.html', `home ${randomUUID()}`)]));
/** Creates a form of new bytes whose pack is opened and written before the upload is complete. */
const largeForm = () =>
  multipart(withChecksums([file('index.html', 'home'), file('large.bin', randomBytes(1_500_000))]));

const countLoggedRequests = () => server().logged.filter(({ message }) => message === 'request').length;
const countDescriptors = () => readdirSync('/proc/self/fd').length;
const expectNoOpenPacks = () => expect.poll(() => server().berth.core.activePacks.size, { interval: 2 }).toBe(0);

/** Sends the first bytes of a request and leaves. Resolves when this side of the connection is closed. */
async function leaveAfter(bytes: Buffer, leaving: Leaving): Promise<void> {
  const socket = connect(server().port, '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  await new Promise<void>((sent) => void socket.write(bytes, () => sent()));
  if (leaving === 'end') socket.destroy();
  else socket.resetAndDestroy();
  await once(socket, 'close');
}

/** Makes all clients leave after this many bytes, and waits until the server has released all resources. */
async function leaveWithAllClients(
  form: Form,
  length: number,
  leaving: Leaving,
  headersOf: (i: number) => Record<string, string>,
): Promise<void> {
  const loggedRequests = countLoggedRequests();
  const leaveEarly = (i: number) => {
    const head = deployHead(server().port, form, headersOf(i));
    return leaveAfter(Buffer.concat([Buffer.from(head), form.body.subarray(0, length)]), leaving);
  };
  for (let i = 0; i < CLIENTS; i += PARALLEL_CLIENTS)
    await Promise.all(Array.from({ length: PARALLEL_CLIENTS }, (_, j) => leaveEarly(i + j)));
  await expect.poll(countLoggedRequests, { interval: 5 }).toBe(loggedRequests + CLIENTS);
  await expectNoOpenPacks();
}

describe.each<[string, Record<string, string>, () => Form]>([
  ['small and anonymous', {}, smallForm],
  ['small, with a credential', OWNER, smallForm],
  ['large, with a credential', OWNER, largeForm],
])('T6, F11: an upload, %s, that the client aborts', (_, headers, createForm) => {
  const withKey = (key: string) => ({ ...headers, 'Idempotency-Key': key });
  const retry = (form: Form, key: string) => post(server(), form, { key: null, headers: withKey(key) });

  it.each([
    ['nothing', 0],
    ['1 percent', 0.01],
    ['half', 0.5],
    ['99 percent', 0.99],
    ['all but the last byte', 1],
  ])('leaves no row and no file after %s was sent, and its idempotency key can be used again', async (_, portion) => {
    for (const leaving of ['end', 'reset'] as const) {
      const footprintBefore = await footprintOf(server());
      const [form, key] = [createForm(), randomUUID()];
      const length = Math.min(Math.floor(form.body.length * portion), form.body.length - 1);
      await leaveWithAllClients(form, length, leaving, () => withKey(key));
      expect(await footprintOf(server())).toEqual(footprintBefore);
      const response = await retry(form, key);
      expect([response.status, response.headers['idempotency-replay']]).toEqual([201, undefined]);
    }
  });

  it.each(['end', 'reset'] as const)(
    'becomes one deployment if it is aborted by %s after its last byte, however often it is retried',
    async (leaving) => {
      const form = createForm();
      const keys = Array.from({ length: CLIENTS }, () => randomUUID());
      const count = async () => Number((await server().database.query('select count(*) from deployment'))[0]!['count']);
      const countBefore = await count();
      await leaveWithAllClients(form, form.body.length, leaving, (i) => withKey(keys[i]!));
      for (const key of keys) {
        const response = await retry(form, key);
        expect(response.status).toBe(201);
        // A reset may arrive at the server before the last byte.
        if (leaving === 'end') expect(response.headers['idempotency-replay']).toBe('true');
      }
      expect(await count()).toBe(countBefore + CLIENTS);
    },
  );
});

it('T6, I10: a client that leaves while the disk is slow causes no hanging request and no leak', async () => {
  const writesReleased = Promise.withResolvers<void>();
  const packOpened = Promise.withResolvers<void>();
  beforeNewPack = () => {
    packOpened.resolve();
    return writesReleased.promise;
  };
  try {
    const form = multipart(withChecksums([file('large.bin', randomBytes(4_500_000))]));
    const key = randomUUID();
    const loggedRequests = countLoggedRequests();
    const bytes = Buffer.concat([
      Buffer.from(deployHead(server().port, form, { ...OWNER, 'Idempotency-Key': key })),
      form.body,
    ]);
    const leaving = leaveAfter(bytes, 'end');
    await packOpened.promise;
    writesReleased.resolve();
    await leaving;
    await expect.poll(countLoggedRequests, { interval: 5 }).toBe(loggedRequests + 1);
    await expectNoOpenPacks();
    const response = await post(server(), form, { headers: { 'Idempotency-Key': key } });
    expect([response.status, response.headers['idempotency-replay']]).toEqual([201, 'true']);
  } finally {
    beforeNewPack = async () => {};
  }
});

it('I10: the numbers of open file descriptors and timers return to their previous values after aborted uploads', async () => {
  const countTimers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const leaveTwice = async () => {
    for (const length of [0, 750_000]) await leaveWithAllClients(largeForm(), length, 'reset', () => OWNER);
  };
  await leaveTwice();
  const resourcesBefore = { descriptors: countDescriptors(), timers: countTimers() };
  await leaveTwice();
  await expect.poll(countDescriptors, { interval: 10 }).toBeLessThanOrEqual(resourcesBefore.descriptors);
  await expect.poll(() => countTimers() - resourcesBefore.timers, { interval: 10 }).toBeLessThan(CLIENTS);
});
