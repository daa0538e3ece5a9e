import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Context, limitsOf, type Meta, ServiceError } from '@berth/core';
import { hasBody, watchUpload } from '../http/request-body.ts';
import { bodyTooLarge, readWholeBody } from '../http/whole-body.ts';

/** What one JSON body may be. Source: contract §2; security T23. */
export const JSON_BODY = { maxBytes: 1024 ** 2, maxDepth: 8 } as const;

const ACCEPTED_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*(?:utf-8|"utf-8")[ \t]*)?;?[ \t]*$/i;

const refuse = (message: string) => new ServiceError('validation_failed', message);

/**
 * How large the JSON body of a request may be. One that may be larger than usual has the time of an upload to arrive.
 *
 * @param wishes What the procedures say that it calls.
 * @returns In bytes.
 */
export function grantBody(
  req: IncomingMessage,
  res: ServerResponse,
  { core, caller }: Context,
  wishes: readonly Meta['maxBodyBytes'][],
): number {
  const granted = wishes.flatMap((wish) => (wish ? [wish(limitsOf(core, caller))] : []));
  if (granted.length > 0) watchUpload(req, res);
  return Math.max(JSON_BODY.maxBytes, ...granted);
}

/**
 * Reads the body of a JSON request as text.
 *
 * @returns The text, not yet parsed; empty when there is no body.
 * @throws `validation_failed` for another media type, an encoded body, or bytes that are not UTF-8; `payload_too_large`
 *   past `maxBytes`, as soon as that is known; `request_timeout` when the client left before its end.
 * Source: contract §2; security F5, T23.
 */
export async function readJsonText(req: IncomingMessage, maxBytes: number = JSON_BODY.maxBytes): Promise<string> {
  if (!hasBody(req)) return '';
  const {
    'content-type': type = '',
    'content-encoding': encoding = 'identity',
    'content-length': length = '0',
  } = req.headers;
  if (encoding.trim().toLowerCase() !== 'identity')
    throw refuse('The body has to be sent as it is, without Content-Encoding.');
  if (!ACCEPTED_TYPE.test(type))
    throw refuse('The body has to be JSON: send "Content-Type: application/json", in UTF-8.');
  if (Number(length) > maxBytes) throw bodyTooLarge('The body', maxBytes);
  const bytes = await readWholeBody(req, maxBytes, 'The body');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ServiceError('validation_failed', 'The body is not valid UTF-8.', { cause });
  }
}

/**
 * Parses JSON from a client.
 *
 * @param what What the text was, for the message: "The body".
 * @throws `validation_failed` for malformed JSON, and for JSON nested deeper than `maxDepth`, which is found before
 *   anything is built of it. Source: security T23.
 */
export function parseJson(text: string, what: string, maxDepth: number = JSON_BODY.maxDepth): unknown {
  if (isDeeperThan(maxDepth, text)) throw refuse(`${what} is nested too deeply: at most ${maxDepth} levels.`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ServiceError('validation_failed', `${what} is not valid JSON.`, { cause });
  }
}

/**
 * Reads a JSON object. No body at all is the empty object.
 *
 * @throws what {@link readJsonText} and {@link parseJson} throw, and `validation_failed` for JSON that is no object.
 */
export async function readJsonObject(req: IncomingMessage, maxBytes: number = JSON_BODY.maxBytes): Promise<object> {
  const text = await readJsonText(req, maxBytes);
  if (text === '') return {};
  const value = parseJson(text, 'The body');
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refuse('The body has to be a JSON object.');
  return value;
}

/** Counts brackets outside of strings; needs neither stack nor memory, whatever the text. */
function isDeeperThan(maxDepth: number, text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (character === '}' || character === ']') depth -= 1;
  }
  return false;
}
