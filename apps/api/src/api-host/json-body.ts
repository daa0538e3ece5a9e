import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  clientOf,
  inFairTurn,
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

export interface JsonBody extends JsonBounds {
  /** The account or the address that sends the body. Turns to process large bodies rotate between clients. */
  client?: string;
  /** Called with the length of each chunk before the chunk is buffered. */
  reserveBytes?: ReserveMemory;
  /** Called with the length of the body before it is parsed. Resolves when the body may be parsed. */
  beforeParsing?: (bytes: number) => Promise<void> | undefined;
}

/** The default limits of a JSON body. The metadata of a procedure can raise them. Source: api §2; security T23. */
export const JSON_BODY = { maxBytes: 1024 ** 2, maxValues: 10_000, maxDepth: 8 } as const satisfies JsonBody;

/** A body up to this size is parsed without waiting for a turn. */
const SMALL_BYTES = 64 * 1024;
const MAX_TYPE_LENGTH = 256;
const CHARSET = /^charset[ \t]*=[ \t]*(?:utf-8|"utf-8")$/i;

const invalidBody = (message: string) => new ServiceError('validation_failed', message);

/**
 * Determines the limits of a JSON body. A body that may be larger than the default gets the timeouts of an upload.
 *
 * @param wishes The `bodySize` of each procedure that the body calls.
 */
export function grantBody(
  req: IncomingMessage,
  res: ServerResponse,
  ctx: ProcedureContext,
  wishes: readonly ProcedureMeta['bodySize'][],
  maxDepth: number = JSON_BODY.maxDepth,
): JsonBody {
  const { core, caller } = ctx;
  const grantedLimits = wishes.flatMap((wish) => (wish ? [wish(limitsOf(ctx))] : []));
  if (grantedLimits.length > 0) watchUpload(req, res);
  const maxBytes = Math.max(JSON_BODY.maxBytes, ...grantedLimits.map((size) => size.maxBytes));
  const maxValues = Math.max(JSON_BODY.maxValues, ...grantedLimits.map((size) => size.maxValues));
  return {
    maxBytes,
    maxValues,
    maxDepth,
    client: clientOf(caller),
    reserveBytes: reserveMemory(res, core, caller),
    beforeParsing: (bytes) =>
      grantedLimits.length > 0 || bytes > SMALL_BYTES ? beginClientTurn(core, caller, res) : undefined,
  };
}

/**
 * Reads the body of a JSON request as text. The limits are checked while the body arrives.
 *
 * @returns The unparsed text; empty when there is no body.
 * @throws `validation_failed` for another media type, an encoded body, JSON that is nested too deeply, or bytes that
 *   are not UTF-8; `payload_too_large` as soon as the body exceeds `maxBytes` or `maxValues`; `request_timeout` when
 *   the client left before the end of the body; what `reserveBytes` throws. Source: api §2; security F5, T23.
 */
export async function readJsonText(req: IncomingMessage, body: JsonBody = JSON_BODY): Promise<string> {
  if (!hasBody(req)) return '';
  const {
    'content-type': type = '',
    'content-encoding': encoding = 'identity',
    'content-length': length = '0',
  } = req.headers;
  if (encoding.trim().toLowerCase() !== 'identity')
    throw invalidBody('The body must be sent without Content-Encoding.');
  if (!isJsonType(type)) throw invalidBody('The body must be JSON: send "Content-Type: application/json", in UTF-8.');
  if (Number(length) > body.maxBytes) throw bodyTooLarge('The body', body.maxBytes);
  const { client = '' } = body;
  const countJson = meterJson('The body', body);
  const bytes = await readWholeBody(req, body.maxBytes, 'The body', (chunk, size) => {
    const check = () => {
      countJson(chunk);
      return body.reserveBytes?.(chunk.length);
    };
    return size <= SMALL_BYTES ? check() : inFairTurn(client, check);
  });
  await body.beforeParsing?.(bytes.length);
  if (bytes.length > SMALL_BYTES) await ownTurn(client);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ServiceError('validation_failed', 'The body must be valid UTF-8.', { cause });
  } finally {
    freeMemory(bytes.buffer as ArrayBuffer);
  }
}

/**
 * Parses JSON from a URL.
 *
 * @param what Names the text in an error message: 'The query parameter "input"'.
 * @throws what {@link parseBoundedJson} throws. Source: security T23.
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

/** Reads a JSON object. A missing body counts as `{}`. @throws what {@link readJsonText} and {@link parseJsonBody} throw. */
export async function readJsonObject(req: IncomingMessage, body: JsonBody = JSON_BODY): Promise<object> {
  const text = await readJsonText(req, body);
  if (text === '') return {};
  const value = parseJsonBody(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidBody('The body must be a JSON object.');
  return value;
}

/** Accepts `application/json`, also with `charset=utf-8` or with a trailing semicolon, which some clients send. */
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
