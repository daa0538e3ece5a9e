import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { FILES_FIELD } from '@berth/contract';
import { type Deploy, invalid, ServiceError, payloadTooLarge } from '@berth/core';
import busboy from 'busboy';
import { followDelimiters, malformed, readBoundary } from './multipart-delimiters.ts';

/** The limits of one multipart body. */
export interface BodyLimits {
  /** Maximum size of the whole body in bytes. */
  maxBodyBytes: number;
  /** Maximum size of a single field in bytes. */
  maxFieldBytes: number;
  /**
   * Maximum number of file parts that are parsed, including those that are dropped. The files that count are counted
   * elsewhere.
   */
  maxParts: number;
  /** Maximum number of files, as the message for too many parts names it. */
  maxFilesCount: number;
}

/** Receives the parts. */
type Parts = Pick<Deploy, 'files' | 'form'>;

interface FilePart {
  stream: Readable;
  name: string;
  /** All bytes of the part are in the stream: the parser has moved on to the next part. */
  complete: boolean;
  sink: ReturnType<Deploy['files']['begin']> | null;
}

const MAX_FIELDS = 16;

/**
 * Reads a multipart body and passes its parts on, one file at a time, in the order they were sent.
 *
 * Memory is bounded: the request is read no faster than the parts are consumed. Returns when every part was consumed,
 * even if the client has left after it sent the last byte.
 *
 * @throws `validation_failed` for a body that is not a multipart form; `payload_too_large`; `request_timeout` when the
 *   client left, or a timeout was answered, before the end; whatever the consumer of a part throws. The request is then
 *   paused, not destroyed, so that it can still be answered.
 * Source: contract §3; security F1 to F4, F11, T4 to T8.
 */
export async function receiveParts(
  req: IncomingMessage,
  res: ServerResponse,
  limits: BodyLimits,
  parts: Parts,
): Promise<void> {
  const boundary = readBoundary(req.headers['content-type'] ?? '');
  const delimiters = followDelimiters(boundary);
  const parser = createParser(boundary, limits);
  const done = Promise.withResolvers<void>();
  const queue: FilePart[] = [];
  let last: FilePart | null = null;
  let bodyBytes = 0;
  let partsRead = 0;
  let parsed = false;
  let failed = false;
  /** The part at the head of the queue waits for the disk. */
  let waiting = false;
  let pumpScheduled = false;

  function fail(error: unknown): void {
    if (failed) return;
    failed = true;
    req.pause();
    done.reject(error);
  }

  /** Runs a step of the upload. An error in it ends the upload. */
  function attempt(step: () => void): void {
    if (failed) return;
    try {
      step();
    } catch (error) {
      fail(error);
    }
  }

  function schedulePump(): void {
    if (pumpScheduled) return;
    pumpScheduled = true;
    process.nextTick(() => {
      pumpScheduled = false;
      attempt(pump);
    });
  }

  /** Moves bytes from the head of the queue to its sink until there are none left or the disk is too slow. */
  function pump(): void {
    while (!waiting) {
      const part = queue[0];
      if (!part) {
        if (parsed) done.resolve();
        return;
      }
      part.sink ??= parts.files.begin(part.name);
      for (let chunk: Buffer | null; !waiting && (chunk = part.stream.read()) !== null;) {
        const drained = part.sink.write(chunk);
        if (drained) waitFor(drained);
      }
      if (waiting) return;
      if (!part.complete) {
        part.stream.once('readable', schedulePump);
        return;
      }
      part.sink.end();
      queue.shift();
    }
  }

  function waitFor(drained: Promise<void>): void {
    waiting = true;
    req.pause();
    drained.then(() => {
      waiting = false;
      attempt(pump);
      readOn();
    }, fail);
  }

  function readOn(): void {
    if (!waiting && !failed && !parser.writableNeedDrain) req.resume();
  }

  function completeLast(): void {
    if (last) last.complete = true;
    schedulePump();
  }

  parser
    .on('file', (field, stream, { filename }) => {
      // Without a listener, the error of a truncated file would end the process.
      stream.on('error', () => fail(malformed('the body ends in the middle of a file')));
      completeLast();
      partsRead += 1;
      attempt(() => {
        if (field !== FILES_FIELD) throw invalid(field ?? 'body', `a file part must be named ${FILES_FIELD}`);
        if (typeof filename !== 'string' || filename === '')
          throw invalid(FILES_FIELD, 'a file part must carry a filename, which is its path');
        const part: FilePart = { stream, name: filename, complete: false, sink: null };
        stream.once('end', () => {
          part.complete = true;
          schedulePump();
        });
        last = part;
        queue.push(part);
      });
    })
    .on('field', (name, value: string | undefined, { nameTruncated, valueTruncated }) => {
      completeLast();
      partsRead += 1;
      attempt(() => {
        if (name === undefined || nameTruncated) throw malformed('each part must have a readable name');
        if (valueTruncated)
          throw payloadTooLarge(
            'body',
            limits.maxFieldBytes,
            `${name}: a field must have at most ${limits.maxFieldBytes} bytes.`,
          );
        if (value === undefined) throw invalid(name, 'the field must be in a charset that can be read; send UTF-8');
        parts.form.add(name, value);
      });
    })
    .on('filesLimit', () => fail(tooManyParts(limits)))
    .on('partsLimit', () => fail(tooManyParts(limits)))
    .on('fieldsLimit', () => fail(malformed(`a form must have at most ${MAX_FIELDS} fields`)))
    .on('error', (error) => fail(malformed((error as Error).message)))
    .on('drain', readOn)
    .on('close', () => {
      attempt(() => {
        if (partsRead < delimiters.parts())
          throw malformed(`of ${delimiters.parts()} parts only ${partsRead} can be read; look at their headers`);
      });
      parsed = true;
      completeLast();
    });

  const onData = (chunk: Buffer) => {
    bodyBytes += chunk.length;
    attempt(() => {
      if (bodyBytes > limits.maxBodyBytes)
        throw payloadTooLarge('body', limits.maxBodyBytes, `The body must have at most ${limits.maxBodyBytes} bytes.`);
      delimiters.push(chunk);
      if (!parser.write(chunk)) req.pause();
    });
  };
  const onEnd = () => void parser.end();
  const stopListening = () => {
    req.off('data', onData).off('end', onEnd).off('close', onGone);
    res.off('close', onGone);
  };
  /**
   * No more events follow: the client has left, or the timeout was answered. If the request had already arrived
   * completely, the unread part of it can still be read.
   */
  const onGone = () => {
    stopListening();
    if (!req.complete) fail(new ServiceError('request_timeout', 'The upload was broken off.'));
    else if (!req.readableEnded) {
      for (let chunk: Buffer | null; (chunk = req.read()) !== null;) onData(chunk);
      onEnd();
    }
  };
  req
    .on('data', onData)
    .once('end', onEnd)
    .once('close', onGone)
    .on('error', () => {});
  res.once('close', onGone);
  if (req.closed || res.closed) onGone();
  try {
    await done.promise;
  } finally {
    stopListening();
    parser.destroy();
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
    `A deploy must have at most ${maxFilesCount} files, and ${maxParts} parts with those that are dropped.`,
  );
}
