import { parseS3Address, type S3Address, type S3Credentials } from '@berth/core';
import { parseBytes } from './config-values.ts';
import type { EnvironmentReader } from './environment-reader.ts';

const GiB = 1024 ** 3;
/** A smaller cache would hold few blocks, and each visit would be a request. */
const MIN_CACHE_BYTES = 64 * 1024 ** 2;

/** Where packs are stored instead of on the disk. */
export interface ObjectStore {
  address: S3Address;
  /** `null` for those that the programs of AWS find, such as the role of the machine. */
  credentials: S3Credentials | null;
  /** The maximum size of the cache on the local disk. */
  cacheBytes: number;
}

/** Reads the settings of the object store; `null` without `STORAGE_URL`. Source: api §10, §14. */
export function readObjectStore(reader: EnvironmentReader): ObjectStore | null {
  const address = reader.read<S3Address | null>('STORAGE_URL', null, parseS3Address);
  const cacheBytes = reader.read('CACHE_BYTES', 10 * GiB, (text) => parseBytes(text, MIN_CACHE_BYTES));
  const credentials = readCredentials(reader, address !== null);
  return address && { address, credentials, cacheBytes };
}

/** Other programs may use these variables too, so they are only checked if there is an object store. */
function readCredentials(reader: EnvironmentReader, isUsed: boolean): S3Credentials | null {
  const accessKeyId = reader.readSecret('AWS_ACCESS_KEY_ID', '', String);
  const secretAccessKey = reader.readSecret('AWS_SECRET_ACCESS_KEY', '', String);
  const sessionToken = reader.readSecret('AWS_SESSION_TOKEN', '', String);
  if (accessKeyId === '' && secretAccessKey === '') return null;
  if (isUsed && (accessKeyId === '' || secretAccessKey === '')) {
    const missing = accessKeyId === '' ? 'AWS_ACCESS_KEY_ID' : 'AWS_SECRET_ACCESS_KEY';
    if (reader.isSound(missing, `${missing}_FILE`))
      reader.addFault(missing, 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together');
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken !== '' && { sessionToken }) };
}
