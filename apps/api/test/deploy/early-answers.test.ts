import { once } from 'node:events';
import { statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { ErrorCode } from '@berth/contract';
import { expectErrorAnswer, expectRefusal } from '@berth/testing/expectations';
import { deployHead, file, type Form, multipart, withChecksums } from '@berth/testing/multipart';
import { open, parse, sendWithoutReading } from '@berth/testing/raw-socket';
import { type Answer, OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it, vi } from 'vitest';
import { BODY_LIMITS } from '../../src/http/request-body.ts';
import { withHeldWatch } from '../http/held-watch.ts';

const server = useServer({ plans: { free: { limits: { maxFileSize: 1000 } } }, clean: true });

/** More than both socket buffers can take. */
const HUGE = multipart(withChecksums([file('a.bin', Buffer.alloc(24_000_000, 'x'))]));
/** More than the buffers can take, and less than the server reads after its answer. */
const LARGE = multipart(withChecksums([file('a.bin', Buffer.alloc(BODY_LIMITS.rest.maxBytes - 1_000_000, 'x'))]));
const OWNER = { Authorization: `Bearer ${OWNER_KEY}` };

const openPacks = () => expect.poll(() => server().berth.core.activePacks.size, { interval: 2 });

function answerOf(text: string): Answer {
  const { status, headers, body } = parse(text);
  return { status, headers, text: body, bytes: Buffer.from(body), json: () => JSON.parse(body) };
}

/** Head and body in chunks, so that no Content-Length announces the size. */
function chunked(form: Form, headers: Record<string, string> = {}): Buffer {
  const head = deployHead(server().port, form, headers).replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked');
  return Buffer.concat([
    Buffer.from(`${head}${form.body.length.toString(16)}\r\n`),
    form.body,
    Buffer.from('\r\n0\r\n\r\n'),
  ]);
}

/** Writes piece by piece, as fast as the server reads, until everything is sent or the connection is closed. */
async function sendOn(socket: Socket, bytes: Buffer): Promise<number> {
  let sent = 0;
  const gone = new Promise<true>((resolve) => void socket.once('close', () => resolve(true)));
  while (sent < bytes.length && !socket.destroyed) {
    const more = socket.write(bytes.subarray(sent, sent + 65_536));
    sent += 65_536;
    if (more) continue;
    const drained = new Promise<false>((resolve) => void socket.once('drain', () => resolve(false)));
    if (await Promise.race([drained, gone])) break;
  }
  return sent;
}

describe('T4: an error reaches a client that is still sending, and then the connection ends', () => {
  it.each<[string, ErrorCode, Record<string, string>]>([
    ['413 in the middle of the body', 'payload_too_large', {}],
    ['401 before it', 'authentication_failed', { Authorization: 'Bearer nonsense' }],
    ['403 before it', 'forbidden', { Origin: 'https://evil.example' }],
    ['400 before it', 'validation_failed', { 'Content-Encoding': 'gzip' }],
    ['400 for an invalid key', 'validation_failed', { 'Idempotency-Key': '' }],
  ])('%s', async (_, code, headers) => {
    await expectRefusal(server(), code, async () => {
      const { socket, received } = await open(server().port);
      const sending = sendOn(socket, chunked(HUGE, headers));
      const answer = await received;
      expect(await sending).toBeLessThan(HUGE.body.length);
      return answerOf(answer);
    });
  });

  it('also if the client reads nothing before it has sent everything', async () => {
    await expectRefusal(server(), 'payload_too_large', async () => {
      const connection = await open(server().port);
      return answerOf(await sendWithoutReading(connection, chunked(LARGE, { Connection: 'close' }).toString('latin1')));
    });
  });

  it('but a connection with little left to read serves the next request', async () => {
    const { socket, received } = await open(server().port);
    const refused = multipart(withChecksums([file('a.bin', Buffer.alloc(5000))]));
    socket.write(chunked(refused));
    const [first] = await once(socket, 'data');
    expectErrorAnswer(answerOf(String(first)), 'payload_too_large');
    const good = multipart(withChecksums([file('index.html', 'home')]));
    socket.write(chunked(good, { ...OWNER, Connection: 'close' }));
    expect(await received).toContain('HTTP/1.1 201 Created');
  });
});

describe('T5: the upload of a client', () => {
  const form = multipart(withChecksums([file('index.html', 'home'), file('rest.txt', 'x'.repeat(500))]));
  const middle = form.body.length >> 1;

  it.each<[string, (socket: Socket) => void]>([
    ['leaves', (socket) => socket.destroy()],
    ['then continues', (socket) => socket.write(form.body.subarray(middle))],
  ])('that stops sending is 408 after a window, and leaves nothing, even if it %s', async (_, react) => {
    await withHeldWatch(async () => {
      await expectRefusal(server(), 'request_timeout', async () => {
        const { socket, received } = await open(server().port);
        const head = deployHead(server().port, form);
        socket.write(Buffer.concat([Buffer.from(head), form.body.subarray(0, middle)]));
        await openPacks().toBe(1);
        vi.advanceTimersByTime(BODY_LIMITS.upload.windowMs);
        const [text] = await once(socket, 'data');
        react(socket);
        await received;
        await openPacks().toBe(0);
        return answerOf(String(text));
      });
    });
  });

  it('that keeps the minimum rate may take longer than other bodies', async () => {
    await withHeldWatch(async () => {
      const pieces = [1_500_000, 1_500_000, 1000].map((size) => Buffer.alloc(size, 'x'));
      const form = multipart(withChecksums([file('a.txt', Buffer.concat(pieces))]));
      const storedBytes = async () => {
        const [pack] = await server().database.query<{ id: string }>(`select id from pack where state = 'open'`);
        const file = pack && join(server().dataDir, 'packs', pack.id.slice(0, 1), `${pack.id}.pack`);
        return file && statSync(file, { throwIfNoEntry: false })?.size;
      };
      const { socket, received } = await open(server().port);
      socket.write(deployHead(server().port, form, { ...OWNER, Connection: 'close' }));
      for (const MiB of [1, 2]) {
        socket.write(form.body.subarray((MiB - 1) * 1_500_000, MiB * 1_500_000));
        await expect.poll(storedBytes, { interval: 5 }).toBeGreaterThanOrEqual(MiB * 1_000_000);
        vi.advanceTimersByTime(BODY_LIMITS.upload.windowMs);
      }
      socket.write(form.body.subarray(3_000_000));
      expect(await received).toContain('HTTP/1.1 201 Created');
    });
  });
});
