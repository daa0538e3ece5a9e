import { S3Client, type S3ClientConfig, S3ServiceException } from '@aws-sdk/client-s3';
import type { S3Address } from './address.ts';

/** Keys of the object store. */
export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** Present for temporary keys. */
  sessionToken?: string;
}

/** A bucket, and the prefix of the keys in it. */
export interface Bucket {
  readonly client: S3Client;
  readonly name: string;
  readonly prefix: string;
  close(): void;
}

export interface BucketOptions extends S3Address {
  /** Default: `null`, which uses the variables and files that the programs of AWS use. */
  credentials?: S3Credentials | null;
}

const MAX_CONNECTIONS = 64;
const CONNECT_MS = 5_000;
/** How long the store may be silent. */
const SILENT_MS = 30_000;
const ATTEMPTS = 4;
/** The status of a request whose time is wrong. */
const CLOCK_REFUSED = 403;

/** Opens a bucket without a request to it. */
export function openBucket({ bucket, prefix, endpoint, region, pathStyle, credentials = null }: BucketOptions): Bucket {
  const config: S3ClientConfig = {
    ...(endpoint !== null && { endpoint, region: 'us-east-1' }),
    ...(region !== null && { region }),
    ...(credentials !== null && { credentials }),
    forcePathStyle: pathStyle,
    maxAttempts: ATTEMPTS,
    // Not every store knows the checksums that the client adds by default. Uploads have Content-MD5, and blocks their own.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: SILENT_MS,
      requestTimeout: SILENT_MS,
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets: MAX_CONNECTIONS },
      httpsAgent: { keepAlive: true, maxSockets: MAX_CONNECTIONS },
    },
  };
  const client = new S3Client(config);
  // Bodies have a Content-MD5, which is signed. A SHA-256 in addition would only cost time.
  client.middlewareStack.add(
    (next) => (parameters) => {
      const { request } = parameters;
      if (isRequest(request)) request.headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
      return next(parameters);
    },
    { step: 'build', name: 'unsignedPayload' },
  );
  client.middlewareStack.addRelativeTo(repeatOnlyForClock, {
    relation: 'after',
    toMiddleware: 'retryMiddleware',
    name: 'repeatOnlyForClock',
  });
  return { client, name: bucket, prefix, close: () => client.destroy() };
}

/**
 * The client corrects its clock by each response of a store whose clock differs. It would repeat every refusal then, also that an
 * object does not exist.
 */
function repeatOnlyForClock<P, R>(send: (parameters: P) => Promise<R>): (parameters: P) => Promise<R> {
  return (parameters) =>
    send(parameters).catch((error: unknown) => {
      if (error instanceof S3ServiceException && statusOf(error) !== CLOCK_REFUSED)
        Object.assign(error.$metadata, { clockSkewCorrected: false });
      throw error;
    });
}

function isRequest(value: unknown): value is { headers: Record<string, string> } {
  return typeof value === 'object' && value !== null && 'headers' in value;
}

/** Returns the HTTP status of an error of the store; `null` if the store did not answer. */
export function statusOf(error: unknown): number | null {
  return error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? null) : null;
}

/** Whether an object does not exist. A missing bucket is another error, unless the request was a HEAD. */
export function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && (error.name === 'NoSuchKey' || error.name === 'NotFound');
}

/** The error of a pack that the store does not contain. */
export function missingPack(pack: string): Error {
  return Object.assign(new Error(`Pack ${pack} is not in the object store`), { code: 'ENOENT' });
}

/** The error of an object store that refuses or fails. Its code is that of a broken disk, so that the answer is a 503. */
export function storeFailed(doing: string, cause: unknown): Error {
  const { name, message } = cause as Error;
  const reason = name && name !== 'Error' && !message.includes(name) ? `${name}: ${message}` : message;
  return Object.assign(new Error(`The object store failed to ${doing}: ${reason}`, { cause }), { code: 'EIO' });
}
