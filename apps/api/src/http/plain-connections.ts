import type { Socket } from 'node:net';
import { activeRequests, countSiteRead, skipSentBytes } from './count-requests.ts';
import type { AnswerWriter, PlainAnswer } from './plain-answer.ts';
import { type PlainLimits, PlainRequest } from './plain-request.ts';
import { requestId } from './request-id.ts';

/** A plain request whose response has ended. */
export interface PlainEnd {
  request: PlainRequest;
  socket: Socket;
  requestId: string;
  /** 0 if the client left before a response. */
  status: number;
  /** The bytes of the response, with its head. */
  bytes: number;
  durationMs: number;
  /** Whether the client left before the end of the response. */
  isAborted: boolean;
}

/** Answers plain requests to sites. */
export interface PlainHandler {
  /**
   * Returns the response to a request, or a promise if something must be loaded. `null` if node:http must handle the request.
   * The promise never rejects.
   */
  answer(request: PlainRequest): PlainAnswer | null | Promise<PlainAnswer | null>;
  /** Called once the response has ended. Default: nothing. */
  onEnd?: ((end: PlainEnd) => void) | undefined;
}

export interface PlainConnectionsOptions extends PlainLimits {
  /** Returns the handler; `null` until the server is ready. */
  handler(): PlainHandler | null;
  /** Continues a connection with node:http, which reads the request that the connection has received. */
  handOver(socket: Socket): void;
  /** How long a connection may wait for its first request, in milliseconds. */
  firstRequestTimeoutMs: number;
  /** How long a client may take to receive a response without any progress, in milliseconds. */
  idleTimeoutMs: number;
}

const NOTHING = Buffer.alloc(0);

/** What differs between connections of clients and those of proxies. */
interface Patience {
  writer: AnswerWriter;
  /** How long a connection is kept open for the next request. */
  timeoutMs: number;
}

/**
 * Serves connections as long as they send plain requests whose responses are in memory. Such a request takes a third of the
 * time that node:http takes. The first other request, and everything after it, is left to node:http.
 */
export class PlainConnections {
  readonly #options: PlainConnectionsOptions;
  readonly #busy = new Set<Socket>();

  constructor(options: PlainConnectionsOptions) {
    this.#options = options;
  }

  /** Whether a connection has a plain request whose response has not ended. */
  isBusy(socket: Socket): boolean {
    return this.#busy.has(socket);
  }

  /** Serves a new connection. */
  accept(socket: Socket, patience: Patience): void {
    if (this.#options.handler() === null) this.#options.handOver(socket);
    else new PlainConnection(socket, patience, this.#options, this.#busy).start();
  }
}

class PlainConnection {
  readonly #socket: Socket;
  readonly #patience: Patience;
  readonly #options: PlainConnectionsOptions;
  readonly #busy: Set<Socket>;
  readonly #request = new PlainRequest();
  /** Received bytes that are not read yet. */
  #waiting: Buffer = NOTHING;
  #isFirst = true;

  constructor(socket: Socket, patience: Patience, options: PlainConnectionsOptions, busy: Set<Socket>) {
    this.#socket = socket;
    this.#patience = patience;
    this.#options = options;
    this.#busy = busy;
  }

  start(): void {
    this.#socket
      .on('data', this.#onData)
      .on('end', this.#onEnd)
      .on('error', this.#destroy)
      .on('timeout', this.#destroy)
      .setTimeout(this.#options.firstRequestTimeoutMs);
  }

  readonly #onData = (bytes: Buffer): void => {
    if (!this.#busy.has(this.#socket)) return this.#serve(bytes);
    // The client sends the next request before it has the response. It is read afterwards.
    this.#waiting = this.#waiting.length === 0 ? bytes : Buffer.concat([this.#waiting, bytes]);
    this.#socket.pause();
  };

  readonly #onEnd = (): void => {
    if (!this.#busy.has(this.#socket)) this.#socket.end();
  };

  readonly #destroy = (): void => void this.#socket.destroy();

  /** Serves the requests in these bytes, one after the other, up to one that must wait. */
  #serve(bytes: Buffer): void {
    for (let start = 0; start < bytes.length;) {
      const startedMs = performance.now();
      const end = this.#request.read(bytes, start, this.#options);
      const answer = end < 0 ? null : this.#options.handler()!.answer(this.#request);
      if (answer === null) return this.#handOver(bytes.subarray(start));
      if (answer instanceof Promise) return this.#wait(answer, bytes, start, end, startedMs);
      const id = requestId();
      const length = this.#send(answer, id, startedMs);
      start = end;
      if (this.#socket.writableLength > 0) {
        this.#waiting = bytes.subarray(end);
        return this.#waitUntilSent(answer, id, length, startedMs);
      }
      this.#finish(answer.status, id, length, startedMs, false);
      if (!this.#request.keepsAlive) return this.#socket.destroySoon();
    }
  }

  #send(answer: PlainAnswer, id: string, nowMs: number): number {
    if (this.#isFirst) {
      this.#isFirst = false;
      this.#socket.setTimeout(this.#patience.timeoutMs);
    }
    return this.#patience.writer.write(this.#socket, answer, id, this.#request.keepsAlive, nowMs);
  }

  /** Waits for a response that is being loaded. */
  #wait(loading: Promise<PlainAnswer | null>, bytes: Buffer, start: number, end: number, startedMs: number): void {
    const socket = this.#socket;
    this.#setBusy();
    socket.setTimeout(this.#options.idleTimeoutMs);
    // The end of what the client sends must not be reported before node:http may have taken over.
    socket.pause();
    void loading.then((answer) => {
      if (socket.destroyed) {
        this.#setIdle();
        this.#finish(0, requestId(), 0, startedMs, true);
      } else if (answer === null) {
        this.#setIdle();
        this.#handOver(Buffer.concat([bytes.subarray(start), this.#waiting]));
      } else {
        this.#waiting = Buffer.concat([bytes.subarray(end), this.#waiting]);
        const id = requestId();
        this.#waitUntilSent(answer, id, this.#send(answer, id, performance.now()), startedMs);
      }
    });
  }

  /** Waits until the system has taken a response, and then serves the next request. */
  #waitUntilSent({ status }: PlainAnswer, id: string, length: number, startedMs: number): void {
    const socket = this.#socket;
    this.#setBusy();
    if (this.#waiting.length > 0) socket.pause();
    socket.setTimeout(this.#options.idleTimeoutMs);
    const onSent = (error?: Error | null) => {
      this.#setIdle();
      this.#finish(status, id, length, startedMs, Boolean(error));
      if (error || socket.destroyed) return;
      if (!this.#request.keepsAlive) return socket.destroySoon();
      socket.setTimeout(this.#patience.timeoutMs);
      this.#continue();
    };
    if (socket.writableLength > 0) socket.write(NOTHING, onSent);
    else onSent();
  }

  /** Serves the requests that were received in the meantime. */
  #continue(): void {
    const bytes = this.#waiting;
    this.#waiting = NOTHING;
    if (bytes.length > 0) this.#serve(bytes);
    if (this.#busy.has(this.#socket)) return;
    if (this.#socket.readableEnded) this.#socket.end();
    else if (this.#socket.isPaused()) this.#socket.resume();
  }

  #setBusy(): void {
    if (this.#busy.has(this.#socket)) return;
    this.#busy.add(this.#socket);
    activeRequests.value += 1;
  }

  #setIdle(): void {
    this.#busy.delete(this.#socket);
    activeRequests.value -= 1;
  }

  /** @param status 0 if the client left before a response. */
  #finish(status: number, id: string, bytes: number, startedMs: number, isAborted: boolean): void {
    const durationMs = performance.now() - startedMs;
    countSiteRead(status, bytes, durationMs);
    const { onEnd } = this.#options.handler()!;
    onEnd?.({ request: this.#request, socket: this.#socket, requestId: id, status, bytes, durationMs, isAborted });
    this.#request.release();
  }

  /** Continues with node:http, which reads these bytes first. */
  #handOver(bytes: Buffer): void {
    const socket = this.#socket;
    this.#request.release();
    socket
      .off('data', this.#onData)
      .off('end', this.#onEnd)
      .off('error', this.#destroy)
      .off('timeout', this.#destroy)
      .setTimeout(0);
    skipSentBytes(socket);
    socket.pause();
    socket.unshift(bytes);
    this.#options.handOver(socket);
    socket.resume();
  }
}
