import { createHmac, hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The keys that the stub accepts. */
export const S3_KEYS = { accessKeyId: 'test-key', secretAccessKey: 'test-secret' };

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([\w-]+)\/(\d{8})\/([\w-]+)\/s3\/aws4_request, SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})$/;
const REQUIRED_HEADERS = ['host', 'x-amz-content-sha256', 'x-amz-date'];

/** How far the clock of a client may be wrong. */
const MAX_SKEW_MS = 15 * 60_000;

/** Returns the time of a request in milliseconds. */
function signedAt(req: IncomingMessage): number {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(req.headers['x-amz-date'])) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/**
 * Verifies a request by version 4 of the signatures of AWS.
 *
 * @param nowMs The time of the store.
 * @returns The code of the error that S3 sends, or `null` for a valid signature.
 */
export function checkSignature(req: IncomingMessage, body: Buffer, nowMs: number): string | null {
  const [, key, day, region, signed = '', signature] = AUTHORIZATION.exec(req.headers.authorization ?? '') ?? [];
  if (!day || !region) return 'AccessDenied';
  if (key !== S3_KEYS.accessKeyId) return 'InvalidAccessKeyId';
  if (Math.abs(nowMs - signedAt(req)) > MAX_SKEW_MS) return 'RequestTimeTooSkewed';
  const names = signed.split(';');
  if (REQUIRED_HEADERS.some((name) => !names.includes(name))) return 'AccessDenied';
  const bodyHash = String(req.headers['x-amz-content-sha256']);
  if (bodyHash !== 'UNSIGNED-PAYLOAD' && bodyHash !== hash('sha256', body)) return 'XAmzContentSHA256Mismatch';
  const url = new URL(req.url!, 'http://stub');
  const canonicalRequest = [
    req.method,
    url.pathname,
    [...url.searchParams]
      .map((pair) => pair.map(escape).join('='))
      .toSorted()
      .join('&'),
    ...names.map(
      (name) =>
        `${name}:${String(req.headers[name] ?? '')
          .trim()
          .replaceAll(/ +/g, ' ')}`,
    ),
    '',
    signed,
    bodyHash,
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', req.headers['x-amz-date'], scope, hash('sha256', canonicalRequest)].join('\n');
  const signingKey = [day, region, 's3', 'aws4_request'].reduce<Buffer>(
    (previous, part) => createHmac('sha256', previous).update(part).digest(),
    Buffer.from(`AWS4${S3_KEYS.secretAccessKey}`),
  );
  return createHmac('sha256', signingKey).update(text).digest('hex') === signature ? null : 'SignatureDoesNotMatch';
}

function escape(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}
