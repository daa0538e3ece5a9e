import type { IncomingMessage, ServerResponse } from 'node:http';
import { FILES_FIELD } from '@berth/contract';
import { type Deploy, inFairTurn, invalid, isTurnOver, ServiceError, payloadTooLarge } from '@berth/core';
import busboy from 'busboy';
import type { ReserveMemory } from './body-memory.ts';
import { type Delimiters, followDelimiters, malformedBody, readBoundary } from './multipart-delimiters.ts';
import { PartQueue } from './part-queue.ts';

export interface BodyLimits {
  maxBodyBytes: number;
  maxFieldBytes: number;
  /** Maximum number of file parts that are parsed, including files that will be dropped. */
  maxParts: number;
  /** Maximum number of files, for the message about too many parts. */
  maxFilesCount: number;
}

interface Parts extends Pick<Deploy, 'files'> {
  form: Pick<Deploy['form'], 'add'>;
  /** The account or the address that sends the body. */
  client: string;
  /** Called with the number of bytes that stay in memory until the response is sent. */
  reserveBytes: ReserveMemory;
}

const MAX_FIELDS = 16;
/** The approximate memory that one part takes until the response is sent. */
const PART_MEMORY_BYTES = 1024;
/** The maximum size of a part's boundary and headers, with a path of 1,024 bytes. */
export const MAX_PART_HEAD_BYTES = 1_536;
/** The parser buffers fewer bytes than this. */
const MAX_BUFFERED_BYTES = 256 * 1024;
const RESERVE_STEP_BYTES = 16 * 1024;
/** Parts count as small if they have fewer bytes than this on average. */
const SMALL_PART_BYTES = 2 * 1024;
/** If the parts of a body are small, or not known yet, this many bytes are parsed at once. */
const SLICE_BYTES = 8 * 1024;

/**
 * Reads a multipart body and passes its parts on, one file at a time, in the order in which they were sent. Memory is
 * bounded: the request is read no faster than the parts are consumed. Other requests are served while many parts are
 * parsed. Returns when every part was consumed, even if the client left after it sent the last byte.
 *
 * @throws `validation_failed` for a body that is not a multipart form; `payload_too_large`; `request_timeout` when the
 *   client left or a timeout passed before the end of the body; what the consumer of a part throws. Only pauses the
 *   request, so that a response can still be sent. Source: api §3; security F1 to F4, F11, T4 to T8.
 */
export async function receiveParts(
  req: IncomingMessage,
  res: ServerResponse,
  limits: BodyLimits,
  parts: Parts,
): Promise<void> {
  await new PartsReader(req, res, limits, parts).read();
}

/** A reason to pause reading the body. */
type Pause = 'sink-full' | 'parser-full' | 'queued' | 'reserving-memory';

class PartsReader {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #limits: BodyLimits;
  readonly #parts: Parts;
  readonly #parser: busboy.Busboy;
  readonly #delimiters: Delimiters;
  readonly #queue: PartQueue;
  readonly #done = Promise.withResolvers<void>();
  readonly #pauses = new Set<Pause>();
  #bodyBytes = 0;
  #partsRead = 0;
  #reservedBytes = 0;
  /** Resolves once there is memory for all parts so far. */
  #memory: Promise<void> | undefined;
  /** The remaining bytes of the last chunk, which are not parsed yet. */
  #unparsed: Buffer | null = null;
  #isBodyEnded = false;
  #isParsed = false;
  #isFailed = false;

  constructor(req: IncomingMessage, res: ServerResponse, limits: BodyLimits, parts: Parts) {
    const boundary = readBoundary(req.headers['content-type'] ?? '');
    this.#req = req;
    this.#res = res;
    this.#limits = limits;
    this.#parts = parts;
    this.#delimiters = followDelimiters(boundary);
    this.#parser = createParser(boundary, limits);
    this.#queue = new PartQueue(parts.files, {
      onFull: () => this.#pause('sink-full'),
      onDrain: () => this.#resume('sink-full'),
      onEmpty: () => {
        if (this.#isParsed) this.#done.resolve();
      },
      onError: (error) => this.#fail(error),
    });
  }

  async read(): Promise<void> {
    const [req, res] = [this.#req, this.#res];
    this.#followParser();
    req
      .on('data', this.#onData)
      .once('end', this.#onEnd)
      .once('close', this.#onGone)
      .on('error', () => {});
    res.once('close', this.#onGone);
    if (req.closed || res.closed) this.#onGone();
    try {
      await this.#done.promise;
    } finally {
      this.#stopListening();
      this.#parser.destroy();
    }
  }

  #followParser(): void {
    this.#parser
      .on('file', (field, stream, { filename }) => {
        // Without a listener, the error event of a truncated file would end the process.
        stream.on('error', () => this.#fail(malformedBody('the body ends in the middle of a file')));
        this.#onPart(() => {
          if (field !== FILES_FIELD) throw invalid(field ?? 'body', `a file part must be named ${FILES_FIELD}`);
          if (typeof filename !== 'string' || filename === '')
            throw invalid(FILES_FIELD, 'a file part must carry a filename, which is its path');
          this.#queue.add(filename, stream);
        });
      })
      .on('field', (name, value: string | undefined, info) => this.#onPart(() => this.#onField(name, value, info)))
      .on('filesLimit', () => this.#fail(tooManyParts(this.#limits)))
      .on('partsLimit', () => this.#fail(tooManyParts(this.#limits)))
      .on('fieldsLimit', () => this.#fail(malformedBody(`a form must have at most ${MAX_FIELDS} fields`)))
      .on('error', (error) => this.#fail(malformedBody((error as Error).message)))
      .on('drain', () => this.#resume('parser-full'))
      .on('close', () => {
        this.#attempt(() => this.#requireAllParts());
        this.#isParsed = true;
        this.#queue.completeLast();
      });
  }

  #onPart(step: () => void): void {
    this.#queue.completeLast();
    this.#partsRead += 1;
    this.#attempt(step);
  }

  #onField(name: string | undefined, value: string | undefined, info: busboy.FieldInfo): void {
    const { maxFieldBytes } = this.#limits;
    if (name === undefined || info.nameTruncated) throw malformedBody('each part must have a readable name');
    if (info.valueTruncated)
      throw payloadTooLarge('body', maxFieldBytes, `${name} must have at most ${maxFieldBytes} bytes.`);
    if (value === undefined) throw invalid(name, 'the field must be in a charset that can be read; send UTF-8');
    this.#parts.form.add(name, value);
  }

  #requireAllParts(): void {
    const sent = this.#delimiters.parts();
    if (this.#partsRead < sent)
      throw malformedBody(`of ${sent} parts only ${this.#partsRead} can be read; check their headers`);
  }

  readonly #onData = (chunk: Buffer): void => {
    if (!isTurnOver() && chunk.length <= this.#sliceBytes()) return this.#parse(chunk);
    this.#pause('queued');
    this.#unparsed = chunk;
    void this.#parseInTurns();
  };

  readonly #onEnd = (): void => {
    this.#isBodyEnded = true;
    if (this.#unparsed === null) this.#parser.end();
  };

  /** Handles a client that left, and a request that timed out. If all bytes have arrived, parses the unread ones. */
  readonly #onGone = (): void => {
    this.#stopListening();
    if (!this.#req.complete) this.#fail(new ServiceError('request_timeout', 'The upload was interrupted.'));
    else if (!this.#req.readableEnded) {
      this.#parseNext(Number.POSITIVE_INFINITY);
      for (let chunk: Buffer | null; (chunk = this.#req.read() as Buffer | null) !== null;) this.#parse(chunk);
      this.#onEnd();
    }
  };

  async #parseInTurns(): Promise<void> {
    while (this.#unparsed) {
      await this.#memory;
      await inFairTurn(this.#parts.client, () => this.#parseNext(this.#sliceBytes()));
    }
    if (this.#isBodyEnded && !this.#isFailed) this.#parser.end();
    this.#resume('queued');
  }

  #parseNext(maxBytes: number): void {
    const chunk = this.#unparsed;
    if (!chunk) return;
    this.#unparsed = chunk.length > maxBytes ? chunk.subarray(maxBytes) : null;
    this.#parse(chunk.subarray(0, maxBytes));
  }

  /** Limits how much is parsed at once if the parts are small, because each part takes time, whatever its size. */
  #sliceBytes(): number {
    const hasLargeParts = this.#bodyBytes > this.#partsRead * SMALL_PART_BYTES;
    return hasLargeParts ? Number.POSITIVE_INFINITY : SLICE_BYTES;
  }

  #parse(chunk: Buffer): void {
    const { maxBodyBytes } = this.#limits;
    this.#bodyBytes += chunk.length;
    this.#attempt(() => {
      if (this.#bodyBytes > maxBodyBytes)
        throw payloadTooLarge('body', maxBodyBytes, `The body must have at most ${maxBodyBytes} bytes.`);
      this.#requireShortFields();
      this.#delimiters.push(chunk);
      if (!this.#parser.write(chunk)) this.#pause('parser-full');
      this.#reserve();
    });
  }

  /** Rejects long fields before the parser reports them, by counting all bytes that are not part of a file. */
  #requireShortFields(): void {
    const { maxFieldBytes } = this.#limits;
    const headBytes = this.#partsRead * MAX_PART_HEAD_BYTES;
    if (this.#bodyBytes - this.#queue.contentBytes - headBytes > maxFieldBytes + MAX_BUFFERED_BYTES)
      throw payloadTooLarge('body', maxFieldBytes, `The fields must have at most ${maxFieldBytes} bytes together.`);
  }

  /** Reserves memory for the parts, and for all bytes that are not part of a file. */
  #reserve(): void {
    const besidesContent = Math.max(0, this.#bodyBytes - this.#queue.contentBytes - MAX_BUFFERED_BYTES);
    const bytes = besidesContent + this.#partsRead * PART_MEMORY_BYTES;
    if (bytes < this.#reservedBytes + RESERVE_STEP_BYTES) return;
    this.#memory = this.#parts.reserveBytes(bytes - this.#reservedBytes);
    this.#reservedBytes = bytes;
    if (!this.#memory) return;
    this.#pause('reserving-memory');
    void this.#memory.then(() => this.#resume('reserving-memory'));
  }

  #pause(reason: Pause): void {
    this.#pauses.add(reason);
    this.#req.pause();
  }

  #resume(reason: Pause): void {
    this.#pauses.delete(reason);
    if (this.#pauses.size === 0 && !this.#isFailed) this.#req.resume();
  }

  /** Runs a step; if the step throws, the upload fails. */
  #attempt(step: () => void): void {
    if (this.#isFailed) return;
    try {
      step();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#isFailed) return;
    this.#isFailed = true;
    this.#queue.stop();
    this.#req.pause();
    this.#done.reject(error);
  }

  #stopListening(): void {
    this.#req.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onGone);
    this.#res.off('close', this.#onGone);
  }
}

function createParser(boundary: string, limits: BodyLimits): busboy.Busboy {
  return busboy({
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    preservePath: true,
    defParamCharset: 'utf8',
    limits: {
      fieldSize: limits.maxFieldBytes + 1,
      fields: MAX_FIELDS,
      files: limits.maxParts,
      parts: limits.maxParts + MAX_FIELDS,
    },
  });
}

function tooManyParts({ maxParts, maxFilesCount }: BodyLimits): ServiceError {
  return payloadTooLarge(
    'maxFilesCount',
    maxFilesCount,
    `A deploy must have at most ${maxFilesCount} files, and at most ${maxParts} parts including the files that are not published.`,
  );
}
