import type { Log } from '@berth/core';
import { pino } from 'pino';
import type { LogFormat, LogLevel } from '../config/config-values.ts';
import { cleanLine } from './clean-line.ts';
import { type LineDestination, LineOutput } from './line-output.ts';
import { createPrettyFormat } from './pretty-line.ts';
import type { EndedRequest, RequestEntry } from './request-entry.ts';
import { PlainRequestLine } from './request-line.ts';

/**
 * The lines of this many requests are formatted together. Right after a response, the code that formats a line is no longer in the
 * caches of the processor, and takes several times as long.
 */
const BATCH_REQUESTS = 64;

/** A log that may also have a fast way to write the lines of requests. */
export interface ServerLog extends Log {
  /** Writes the line of a request. Default: {@link Log.info} with the message `request`. */
  request?(entry: RequestEntry): void;
}

/** The log of a process. */
export interface ProcessLog extends Required<ServerLog> {
  /** Writes all lines, and resolves once they are written, or after two seconds if nothing reads them. */
  flush(): Promise<void>;
}

interface LoggerOptions {
  level: LogLevel;
  /** Default: `json`. */
  format?: LogFormat;
  /** The number of this worker, which every line then contains. Default: none. */
  worker?: number;
  /** Whether other processes write to the same standard output. Default: whether this is a worker. */
  isShared?: boolean;
  /** Default: standard output. */
  destination?: LineDestination;
}

/**
 * Creates the log of this process on standard output: one JSON object per line, or, in the format `pretty`, a line for
 * people. A line never contains a credential, a claim hash or a value of an `Authorization` or `Cookie` header. Control
 * characters are escaped. Texts are cut so that a line of JSON has at most 4 KB.
 *
 * Lines keep their order. Lines of requests are gathered for up to 100 ms; all other lines are written at once. At the
 * end of the process, all lines are written; SIGKILL loses the gathered ones. Source: security T20, T38.
 */
export function createLogger({
  level,
  format = 'json',
  worker,
  isShared = worker !== undefined,
  destination = 'stdout',
}: LoggerOptions): ProcessLog {
  const output = new LineOutput(destination, {
    isShared,
    onDropped: (lines) => logger.warn({ lines }, 'Log lines were dropped, because standard output is read too slowly'),
    gatherRest: () => writeRequests(),
  });
  const toPretty = format === 'pretty' ? createPrettyFormat() : null;
  /** The request whose line is being written. */
  let written: EndedRequest | null = null;
  const logger = pino(
    {
      level,
      base: worker === undefined ? undefined : { worker },
      timestamp: () => `,"time":"${new Date(written?.endedMs ?? Date.now()).toISOString()}"`,
      formatters: { level: (label: string) => ({ level: label }) },
      hooks: { streamWrite: (line) => (toPretty ? toPretty(cleanLine(line)) : cleanLine(line)) },
    },
    { write: (line) => (written === null ? output.write(line) : output.gather(line)) },
  );
  const requestLine = new PlainRequestLine(worker === undefined ? '' : `"worker":${worker},`);
  let endedRequests: EndedRequest[] = [];

  function writeRequests(): void {
    const requests = endedRequests;
    endedRequests = [];
    for (const request of requests) {
      if (toPretty === null && output.gatherBytes(request, requestLine)) continue;
      written = request;
      logger.info(request.entry, 'request');
      written = null;
    }
  }

  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    request(entry) {
      endedRequests.push({ entry, endedMs: Date.now() });
      if (endedRequests.length >= BATCH_REQUESTS) writeRequests();
      else output.writeSoon();
    },
    flush: () => output.flush(),
  };
}
