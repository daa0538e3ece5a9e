import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type ProcedureContext,
  type JsonBounds,
  limitsOf,
  type ProcedureMeta,
  meterJson,
  ownTurn,
  parseBoundedJson,
  ServiceError,
} from '@berth/core';
import { hasBody, watchUpload } from '../http/request-body.ts';
import { bodyTooLarge, freeMemory, readWholeBody } from '../http/whole-body.ts';
import { type ReserveMemory, reserveMemory } from './body-memory.ts';
import { beginClientTurn } from './client-turns.ts';

/** The limits of one JSON body. */
export interface JsonBody extends JsonBounds {
  /** Called with the length of each chunk before it is buffered. */
  reserve?: ReserveMemory;
  /** Called with the length before the body is parsed. Resolves when the body may be parsed. */
  beforeParsing?: (bytes: number) => Promise<void> | undefined;
}

/** The default limits of a JSON body; a procedure can ask for more. Source: api §2; security T23. */
export const JSON_BODY = { maxBytes: 1024 ** 2, maxValues: 10_000, maxDepth: 8 } as const satisfies JsonBody;

/** A body up to this size is parsed at once. */
const SMALL_BYTES = 64 * 1024;
const MAX_TYPE_LENGTH = 256;
const CHARSET = /^charset[ \t]*=[ \t]*(?:utf-8|"utf-8")$/i;

const refuse = (message: string) => new ServiceError('validation_failed', message);

/**
 * The limits of a JSON body for the procedures that it calls. A body that may be larger than the default gets the
 * timeouts of an upload.
 *
 * @param wishes What the procedures ask for.
 * @param maxDepth Default: that of {@link JSON_BODY}.
 */
export function grantBody(
  req: IncomingMessage,
  res: ServerResponse,
  ctx: ProcedureContext,
  wishes: readonly ProcedureMeta['bodySize'][],
  maxDepth: number = JSON_BODY.maxDepth,
): JsonBody {
  const { core, caller } = ctx;
  const granted = wishes.flatMap((wish) => (wish ? [wish(limitsOf(ctx))] : []));
  if (granted.length > 0) watchUpload(req, res);
  const maxBytes = Math.max(JSON_BODY.maxBytes, ...granted.map((size) => size.maxBytes));
  const maxValues = Math.max(JSON_BODY.maxValues, ...granted.map((size) => size.maxValues));
  return {
    maxBytes,
    maxValues,
    maxDepth,
    reserve: reserveMemory(res, core, caller),
    beforeParsing: (bytes) =>
      granted.length > 0 || bytes > SMALL_BYTES ? beginClientTurn(core, caller, res) : undefined,
  };
}

/**
 * Reads the body of a JSON request as text. Its size, depth and number of values are checked while it arrives.
 *
 * @returns The unparsed text; empty when there is no body.
 * @throws `validation_failed` for another media type, an encoded body, JSON that is nested too deeply, or bytes that
 *   are not UTF-8; `payload_too_large` past `maxBytes` or `maxValues`, as soon as that is known; `request_timeout` when
 *   the client left before the end of the body; whatever `onBytes` throws.
 * Source: api §2; security F5, T23.
 */
export async function readJsonText(req: IncomingMessage, body: JsonBody = JSON_BODY): Promise<string> {
  if (!hasBody(req)) return '';
  const {
    'content-type': type = '',
    'content-encoding': encoding = 'identity',
    'content-length': length = '0',
  } = req.headers;
  if (encoding.trim().toLowerCase() !== 'identity')
    throw refuse('The body must be sent as it is, without Content-Encoding.');
  if (!isJsonType(type)) throw refuse('The body must be JSON: send "Content-Type: application/json", in UTF-8.');
  if (Number(length) > body.maxBytes) throw bodyTooLarge('The body', body.maxBytes);
  const meter = meterJson('The body', body);
  const bytes = await readWholeBody(req, body.maxBytes, 'The body', (chunk) => {
    meter.push(chunk);
    return body.reserve?.(chunk.length);
  });
  await body.beforeParsing?.(bytes.length);
  if (bytes.length > SMALL_BYTES) await ownTurn();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ServiceError('validation_failed', 'The body must be valid UTF-8.', { cause });
  } finally {
    freeMemory(bytes.buffer as ArrayBuffer);
  }
}

/**
 * Parses JSON that a client sent in the URL.
 *
 * @param what Names the text in the error message: 'The query parameter "input"'.
 * @throws as {@link parseBoundedJson}. Source: security T23.
 */
export function parseJson(text: string, what: string, maxDepth: number): unknown {
  return parseBoundedJson(text, what, { ...JSON_BODY, maxDepth });
}

/** Parses the text of {@link readJsonText}. @throws `validation_failed` for malformed JSON. */
export function parseJsonBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ServiceError('validation_failed', 'The body must be valid JSON.', { cause });
  }
}

/**
 * Reads a JSON object. A missing body counts as the empty object.
 *
 * @throws what {@link readJsonText} throws, and `validation_failed` for malformed JSON or JSON that is not an object.
 */
export async function readJsonObject(req: IncomingMessage, body: JsonBody = JSON_BODY): Promise<object> {
  const text = await readJsonText(req, body);
  if (text === '') return {};
  const value = parseJsonBody(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refuse('The body must be a JSON object.');
  return value;
}

/**
 * Whether a header is `application/json`, with at most the parameter `charset=utf-8`. A common trailing empty parameter
 * is accepted.
 */
function isJsonType(header: string): boolean {
  if (header.length > MAX_TYPE_LENGTH) return false;
  const [type, ...parameters] = header.split(';').map((part) => part.trim());
  if (parameters.at(-1) === '') parameters.pop();
  return (
    type!.toLowerCase() === 'application/json' &&
    parameters.length <= 1 &&
    parameters.every((parameter) => CHARSET.test(parameter))
  );
}
