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
  parts: ({ packs }) => ({
    packs: { ...packs, create: (pack) => beforeNewPack().then(() => packs.create(pack)) },
  }),
  clean: true,
});

/** How a client leaves: by ending its stream, or with a reset. */
type Leaving = 'end' | 'reset';

const OWNER = { Authorization: `Bearer ${OWNER_KEY}` };
const AT_ONCE = 4;
const TIMES = 8;
/** Small enough to be kept in memory. */
const small = () => multipart(withChecksums([file('index.html', `home ${randomUUID()}`)]));
/** Large enough for its pack to be opened and written to before the end, with bytes that are not stored yet. */
const large = () => multipart(withChecksums([file('index.html', 'home'), file('large.bin', randomBytes(1_500_000))]));

const requestsLogged = () => server().logged.filter(({ message }) => message === 'request').length;
const descriptors = () => readdirSync('/proc/self/fd').length;
const nothingOpen = () => expect.poll(() => server().berth.core.activePacks.size, { interval: 2 }).toBe(0);

/** Sends the first bytes of a request and leaves. Resolves when the connection is closed on this side. */
async function leaveAfter(bytes: Buffer, leaving: Leaving): Promise<void> {
  const socket = connect(server().port, '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  await new Promise<void>((sent) => void socket.write(bytes, () => sent()));
  if (leaving === 'end') socket.destroy();
  else socket.resetAndDestroy();
  await once(socket, 'close');
}

/** Makes many clients leave after this many bytes, and waits until the server has released all their resources. */
async function leaveOften(
  form: Form,
  length: number,
  leaving: Leaving,
  headersOf: (i: number) => Record<string, string>,
): Promise<void> {
  const logged = requestsLogged();
  const leave = (i: number) => {
    const head = deployHead(server().port, form, headersOf(i));
    return leaveAfter(Buffer.concat([Buffer.from(head), form.body.subarray(0, length)]), leaving);
  };
  for (let i = 0; i < TIMES; i += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, (_, j) => leave(i + j)));
  await expect.poll(requestsLogged, { interval: 5 }).toBe(logged + TIMES);
  await nothingOpen();
}

describe.each<[string, Record<string, string>, () => Form]>([
  ['small and anonymous', {}, small],
  ['small, with a credential', OWNER, small],
  ['large, with a credential', OWNER, large],
])('T6, F11: an upload, %s, that the client aborts', (_, headers, make) => {
  const withKey = (key: string) => ({ ...headers, 'Idempotency-Key': key });
  const retry = (form: Form, key: string) => post(server(), form, { key: null, headers: withKey(key) });

  it.each([
    ['nothing', 0],
    ['1 percent', 0.01],
    ['half', 0.5],
    ['99 percent', 0.99],
    ['all but the last byte', 1],
  ])('after %s leaves no row and no file, and its key can be used', async (_, share) => {
    for (const leaving of ['end', 'reset'] as const) {
      const before = await footprintOf(server());
      const [form, key] = [make(), randomUUID()];
      const length = Math.min(Math.floor(form.body.length * share), form.body.length - 1);
      await leaveOften(form, length, leaving, () => withKey(key));
      expect(await footprintOf(server())).toEqual(before);
      const answer = await retry(form, key);
      expect([answer.status, answer.headers['idempotency-replay']]).toEqual([201, undefined]);
    }
  });

  it.each(['end', 'reset'] as const)(
    'by %s after the last byte is one deployment after each retry',
    async (leaving) => {
      const form = make();
      const keys = Array.from({ length: TIMES }, () => randomUUID());
      const count = async () => Number((await server().database.query('select count(*) from deployment'))[0]!['count']);
      const before = await count();
      await leaveOften(form, form.body.length, leaving, (i) => withKey(keys[i]!));
      for (const key of keys) {
        const answer = await retry(form, key);
        expect(answer.status).toBe(201);
        // A reset may be faster than the last byte.
        if (leaving === 'end') expect(answer.headers['idempotency-replay']).toBe('true');
      }
      expect(await count()).toBe(before + TIMES);
    },
  );
});

it('T6, I10: a client that leaves while the disk is slow causes no hanging request and no leak', async () => {
  const released = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  beforeNewPack = () => {
    opened.resolve();
    return released.promise;
  };
  try {
    const form = multipart(withChecksums([file('large.bin', randomBytes(4_500_000))]));
    const key = randomUUID();
    const logged = requestsLogged();
    const bytes = Buffer.concat([
      Buffer.from(deployHead(server().port, form, { ...OWNER, 'Idempotency-Key': key })),
      form.body,
    ]);
    const left = leaveAfter(bytes, 'end');
    await opened.promise;
    released.resolve();
    await left;
    await expect.poll(requestsLogged, { interval: 5 }).toBe(logged + 1);
    await nothingOpen();
    const answer = await post(server(), form, { headers: { 'Idempotency-Key': key } });
    expect([answer.status, answer.headers['idempotency-replay']]).toEqual([201, 'true']);
  } finally {
    beforeNewPack = async () => {};
  }
});

it('I10: the descriptors and timers of the process return to their numbers before the uploads', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const often = async () => {
    for (const length of [0, 750_000]) await leaveOften(large(), length, 'reset', () => OWNER);
  };
  await often();
  const before = { descriptors: descriptors(), timers: timers() };
  await often();
  await expect.poll(descriptors, { interval: 10 }).toBeLessThanOrEqual(before.descriptors);
  await expect.poll(() => timers() - before.timers, { interval: 10 }).toBeLessThan(TIMES);
});
