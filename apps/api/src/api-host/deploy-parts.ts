import type { IncomingMessage, ServerResponse } from 'node:http';
import { FILES_FIELD } from '@berth/contract';
import { type Deploy, inFairTurn, invalid, isTurnOver, ServiceError, payloadTooLarge } from '@berth/core';
import { freeChunk } from './body-chunks.ts';
import type { ReserveMemory } from './body-memory.ts';
import { malformedBody, MultipartSplitter, readBoundary } from './multipart-splitter.ts';
import { type FormPart, readPart, readUsualFile } from './part-head.ts';

export interface BodyLimits {
  maxBodyBytes: number;
  /** Maximum size of all fields together. */
  maxFieldBytes: number;
  /** Maximum number of file parts that are read, including files that will be dropped. */
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
const RESERVE_STEP_BYTES = 16 * 1024;
/** The maximum number of bytes of contents that one body keeps in memory on their way to the disk. */
const MAX_CONTENT_MEMORY_BYTES = 512 * 1024;
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
type Pause = 'sink-full' | 'queued' | 'reserving-memory';

type FileSink = ReturnType<Deploy['files']['begin']>;

/** A field that is being received. */
interface OpenField {
  head: Buffer;
  chunks: Buffer[];
}

const NO_BYTES = Buffer.alloc(0);

class PartsReader {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #limits: BodyLimits;
  readonly #parts: Parts;
  readonly #boundary: string;
  readonly #splitter: MultipartSplitter;
  readonly #done = Promise.withResolvers<void>();
  readonly #pauses = new Set<Pause>();
  #bodyBytes = 0;
  #contentBytes = 0;
  #fieldBytes = 0;
  #fileCount = 0;
  #fieldCount = 0;
  #openFile: FileSink | null = null;
  #openField: OpenField | null = null;
  #reservedBytes = { parts: 0, contents: 0 };
  /** Resolves once there is memory for all bytes so far. */
  #memory: Promise<unknown> | undefined;
  /** Resolves once the sink of the files accepts more bytes. */
  #drained: Promise<void> | undefined;
  /** The last chunk, until all of its bytes are parsed, and the number of those that are. */
  #chunk: Buffer | null = null;
  #parsedBytes = 0;
  #isBodyEnded = false;
  #isFailed = false;

  constructor(req: IncomingMessage, res: ServerResponse, limits: BodyLimits, parts: Parts) {
    this.#req = req;
    this.#res = res;
    this.#limits = limits;
    this.#parts = parts;
    this.#boundary = readBoundary(req.headers['content-type'] ?? '');
    this.#splitter = new MultipartSplitter(this.#boundary, {
      onHead: (head) => this.#beginPart(head),
      onContent: (bytes) => this.#appendContent(bytes),
      onEnd: () => this.#endPart(),
    });
  }

  async read(): Promise<void> {
    const [req, res] = [this.#req, this.#res];
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
    }
  }

  #beginPart(head: Buffer): void {
    const usualFile = readUsualFile(head);
    if (usualFile !== null) return this.#beginFile(usualFile);
    const part = readPart(head, NO_BYTES, this.#boundary);
    if (!part) throw unreadableHead();
    if (part.kind === 'field') return this.#beginField(head);
    if (part.name !== FILES_FIELD) throw invalid(part.name ?? 'body', `a file part must be named ${FILES_FIELD}`);
    if (part.filename === undefined || part.filename === '')
      throw invalid(FILES_FIELD, 'a file part must carry a filename, which is its path');
    this.#beginFile(part.filename);
  }

  #beginFile(filename: string): void {
    this.#fileCount += 1;
    if (this.#fileCount > this.#limits.maxParts) throw tooManyParts(this.#limits);
    this.#openFile = this.#parts.files.begin(filename);
  }

  #beginField(head: Buffer): void {
    this.#fieldCount += 1;
    if (this.#fieldCount > MAX_FIELDS) throw malformedBody(`a form must have at most ${MAX_FIELDS} fields`);
    this.#openField = { head: Buffer.from(head), chunks: [] };
  }

  #appendContent(bytes: Buffer): void {
    if (this.#openField) {
      this.#fieldBytes += bytes.length;
      const { maxFieldBytes } = this.#limits;
      if (this.#fieldBytes > maxFieldBytes)
        throw payloadTooLarge('body', maxFieldBytes, `The fields must have at most ${maxFieldBytes} bytes together.`);
      this.#openField.chunks.push(Buffer.from(bytes));
      return;
    }
    this.#contentBytes += bytes.length;
    const drained = this.#openFile!.write(bytes);
    if (drained && drained !== this.#drained) this.#pauseUntil(drained);
  }

  #endPart(): void {
    if (this.#openField) {
      const { head, chunks } = this.#openField;
      this.#openField = null;
      this.#readField(readPart(head, Buffer.concat(chunks), this.#boundary));
      return;
    }
    this.#openFile!.end();
    this.#openFile = null;
  }

  #readField(part: FormPart | null): void {
    if (part?.kind !== 'field') throw unreadableHead();
    const { name, value } = part;
    if (name === undefined) throw malformedBody('each part must have a readable name');
    if (value === undefined) throw invalid(name, 'the field must be in a charset that can be read; send UTF-8');
    this.#parts.form.add(name, value);
  }

  readonly #onData = (chunk: Buffer): void => {
    // The first bytes take memory until the disk has them, so they wait outside until there is room.
    const memory = this.#reserve('contents', Math.min(this.#bodyBytes + chunk.length, MAX_CONTENT_MEMORY_BYTES));
    this.#chunk = chunk;
    if (!memory && !isTurnOver() && chunk.length <= this.#sliceBytes()) return this.#parseNext(chunk.length);
    this.#pause('queued');
    void this.#parseInTurns();
  };

  readonly #onEnd = (): void => {
    this.#isBodyEnded = true;
    if (this.#chunk === null) this.#finish();
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
    while (this.#chunk) {
      await this.#memory;
      await this.#drained;
      await inFairTurn(this.#parts.client, () => this.#parseNext(this.#sliceBytes()));
    }
    if (this.#isBodyEnded) this.#finish();
    this.#resume('queued');
  }

  #parseNext(maxBytes: number): void {
    const chunk = this.#chunk;
    if (!chunk) return;
    const end = Math.min(chunk.length, this.#parsedBytes + maxBytes);
    this.#parse(chunk.subarray(this.#parsedBytes, end));
    this.#parsedBytes = end;
    if (end < chunk.length) return;
    this.#chunk = null;
    this.#parsedBytes = 0;
    freeChunk(chunk);
  }

  /** Limits how much is parsed at once if the parts are small, because each part takes time, whatever its size. */
  #sliceBytes(): number {
    const hasLargeParts = this.#bodyBytes > (this.#fileCount + this.#fieldCount) * SMALL_PART_BYTES;
    return hasLargeParts ? Number.POSITIVE_INFINITY : SLICE_BYTES;
  }

  #parse(chunk: Buffer): void {
    const { maxBodyBytes } = this.#limits;
    this.#bodyBytes += chunk.length;
    this.#attempt(() => {
      if (this.#bodyBytes > maxBodyBytes)
        throw payloadTooLarge('body', maxBodyBytes, `The body must have at most ${maxBodyBytes} bytes.`);
      this.#splitter.write(chunk);
      // All bytes that are not part of a file stay in memory until the response.
      void this.#reserve('parts', this.#bodyBytes - this.#contentBytes + this.#fileCount * PART_MEMORY_BYTES);
    });
  }

  #finish(): void {
    this.#attempt(() => {
      this.#splitter.end();
      this.#done.resolve();
    });
  }

  /** Reserves memory until a kind has the given number of bytes. Pauses the request while there is no room. */
  #reserve(kind: 'parts' | 'contents', bytes: number): Promise<void> | undefined {
    const newBytes = bytes - this.#reservedBytes[kind];
    if (newBytes < RESERVE_STEP_BYTES) return undefined;
    const memory = this.#parts.reserveBytes(newBytes, kind);
    this.#reservedBytes[kind] = bytes;
    if (!memory) return undefined;
    const allMemory = Promise.all([this.#memory, memory]);
    this.#memory = allMemory;
    this.#pause('reserving-memory');
    void allMemory.then(() => {
      if (this.#memory === allMemory) this.#resume('reserving-memory');
    });
    return memory;
  }

  #pauseUntil(drained: Promise<void>): void {
    this.#drained = drained;
    this.#pause('sink-full');
    drained.then(
      () => {
        if (this.#drained === drained) this.#resume('sink-full');
      },
      (error: unknown) => this.#fail(error),
    );
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
    this.#req.pause();
    this.#done.reject(error);
  }

  #stopListening(): void {
    this.#req.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onGone);
    this.#res.off('close', this.#onGone);
  }
}

function unreadableHead(): ServiceError {
  return malformedBody('a part has headers that cannot be read');
}

function tooManyParts({ maxParts, maxFilesCount }: BodyLimits): ServiceError {
  return payloadTooLarge(
    'maxFilesCount',
    maxFilesCount,
    `A deploy must have at most ${maxFilesCount} files, and at most ${maxParts} parts including the files that are not published.`,
  );
}
