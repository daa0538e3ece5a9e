import type { IncomingHttpHeaders } from 'node:http';
import { invalid } from '@berth/core';

/** The format of an archive, and how it is compressed as a whole. */
export interface ArchiveType {
  format: 'tar' | 'zip';
  coding: 'gzip' | 'zstd' | null;
}

/** The media types of archives. Source: api §11. */
export const ARCHIVE_TYPES = {
  'application/x-tar': { format: 'tar', coding: null },
  'application/gzip': { format: 'tar', coding: 'gzip' },
  'application/zstd': { format: 'tar', coding: 'zstd' },
  'application/zip': { format: 'zip', coding: null },
} as const satisfies Record<string, ArchiveType>;

const CODINGS = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['zstd', 'zstd'],
] as const);

/** Returns the media type of a body in lower case, without parameters. */
export function mediaTypeOf({ 'content-type': type = '' }: IncomingHttpHeaders): string {
  return type.split(';', 1)[0]!.trim().toLowerCase();
}

/**
 * Reads the type of an archive from the headers of a request. A tar archive can also be compressed by its `Content-Encoding`.
 *
 * @returns `null` if the body is not an archive.
 * @throws `validation_failed` for an encoding that is not supported. Source: api §11.
 */
export function readArchiveType(headers: IncomingHttpHeaders): ArchiveType | null {
  const mediaType = mediaTypeOf(headers);
  if (!Object.hasOwn(ARCHIVE_TYPES, mediaType)) return null;
  const type: ArchiveType = ARCHIVE_TYPES[mediaType as keyof typeof ARCHIVE_TYPES];
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity') return type;
  const coding = CODINGS.get(encoding as 'gzip');
  if (mediaType !== 'application/x-tar' || coding === undefined)
    throw invalid('Content-Encoding', 'only application/x-tar can have an encoding, which must be gzip or zstd');
  return { format: 'tar', coding };
}
