import { once } from 'node:events';
import { statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { ErrorCode } from '@berth/contract';
import { expectError, expectRefusal } from '@berth/testing/expectations';
import { deployHead, file, type Form, multipart, withChecksums } from '@berth/testing/multipart';
import { open, parse, sendWithoutReading } from '@berth/testing/raw-socket';
import { type HttpResponse, OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it, vi } from 'vitest';
import { BODY_LIMITS } from '../../src/http/request-body.ts';
import { withFakeTimers } from '../http/fake-timers.ts';

const server = useServer({ plans: { free: { limits: { maxFileSize: 1000 } } }, clean: true });

/** A form larger than the socket buffers of both sides. */
const HUGE_FORM = multipart(withChecksums([file('a.bin', Buffer.alloc(24_000_000, 'x'))]));
/** A form larger than the socket buffers, but smaller than what the server reads after its response. */
const LARGE_FORM = multipart(withChecksums([file('a.bin', Buffer.alloc(BODY_LIMITS.rest.maxBytes - 1_000_000, 'x'))]));
const OWNER = { Authorization: `Bearer ${OWNER_KEY}` };

const expectOpenPacks = () => expect.poll(() => server().berth.core.activePacks.size, { interval: 2 });

function responseOf(text: string): HttpResponse {
  const { status, headers, body } = parse(text);
  return { status, headers, text: body, bytes: Buffer.from(body), json: () => JSON.parse(body) };
}

/** Encodes head and body in chunks, so that no Content-Length announces the size. */
function chunkedRequest(form: Form, headers: Record<string, string> = {}): Buffer {
  const head = deployHead(server().port, form, headers).replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked');
  return Buffer.concat([
    Buffer.from(`${head}${form.body.length.toString(16)}\r\n`),
    form.body,
    Buffer.from('\r\n0\r\n\r\n'),
  ]);
}

/** Writes until all bytes are sent or the connection is closed. @returns The number of sent bytes. */
async function sendWhileOpen(socket: Socket, bytes: Buffer): Promise<number> {
  let sentBytes = 0;
  const socketClosed = new Promise<true>((resolve) => void socket.once('close', () => resolve(true)));
  while (sentBytes < bytes.length && !socket.destroyed) {
    const hasRoom = socket.write(bytes.subarray(sentBytes, sentBytes + 65_536));
    sentBytes += 65_536;
    if (hasRoom) continue;
    const socketDrained = new Promise<false>((resolve) => void socket.once('drain', () => resolve(false)));
    if (await Promise.race([socketDrained, socketClosed])) break;
  }
  return sentBytes;
}

describe('T4: an early error response', () => {
  it.each<[string, ErrorCode, Record<string, string>]>([
    ['413, sent in the middle of the body', 'payload_too_large', {}],
    ['401, sent before the body', 'authentication_failed', { Authorization: 'Bearer nonsense' }],
    ['403, sent before the body', 'forbidden', { Origin: 'https://evil.example' }],
    ['400, sent before the body', 'validation_failed', { 'Content-Encoding': 'gzip' }],
    ['400, sent for an invalid idempotency key', 'validation_failed', { 'Idempotency-Key': '' }],
  ])('reaches a client that is still sending, and then the connection closes: %s', async (_, code, headers) => {
    await expectRefusal(server(), code, async () => {
      const { socket, received } = await open(server().port);
      const sending = sendWhileOpen(socket, chunkedRequest(HUGE_FORM, headers));
      const response = await received;
      expect(await sending).toBeLessThan(HUGE_FORM.body.length);
      return responseOf(response);
    });
  });

  it('reaches a client that reads nothing until it has sent everything', async () => {
    await expectRefusal(server(), 'payload_too_large', async () => {
      const connection = await open(server().port);
      return responseOf(
        await sendWithoutReading(connection, chunkedRequest(LARGE_FORM, { Connection: 'close' }).toString('latin1')),
      );
    });
  });

  it('keeps the connection open for the next request if little of the body is left', async () => {
    const { socket, received } = await open(server().port);
    const tooLargeForm = multipart(withChecksums([file('a.bin', Buffer.alloc(5000))]));
    socket.write(chunkedRequest(tooLargeForm));
    const [first] = await once(socket, 'data');
    expectError(responseOf(String(first)), 'payload_too_large');
    const validForm = multipart(withChecksums([file('index.html', 'home')]));
    socket.write(chunkedRequest(validForm, { ...OWNER, Connection: 'close' }));
    expect(await received).toContain('HTTP/1.1 201 Created');
  });
});

describe('T5: an upload', () => {
  const form = multipart(withChecksums([file('index.html', 'home'), file('rest.txt', 'x'.repeat(500))]));
  const halfLength = form.body.length >> 1;

  it.each<[string, (socket: Socket) => void]>([
    ['closes the connection', (socket) => socket.destroy()],
    ['continues to send', (socket) => socket.write(form.body.subarray(halfLength))],
  ])('that stops for too long gets a 408 and stores nothing, even if the client %s', async (_, react) => {
    await withFakeTimers(async () => {
      await expectRefusal(server(), 'request_timeout', async () => {
        const { socket, received } = await open(server().port);
        const head = deployHead(server().port, form);
        socket.write(Buffer.concat([Buffer.from(head), form.body.subarray(0, halfLength)]));
        await expectOpenPacks().toBe(1);
        vi.advanceTimersByTime(BODY_LIMITS.upload.windowMs);
        const [text] = await once(socket, 'data');
        react(socket);
        await received;
        await expectOpenPacks().toBe(0);
        return responseOf(String(text));
      });
    });
  });

  it('that keeps the minimum rate may take longer than other bodies', async () => {
    await withFakeTimers(async () => {
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
