import type { Readable } from 'node:stream';
import type { StoredBytes } from '@berth/serving';

/** Opens the bytes of a file. The stream emits an error if they differ from their hash. */
export type OpenFile = (content: StoredBytes) => Readable;
