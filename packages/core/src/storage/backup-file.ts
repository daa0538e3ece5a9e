import { hash } from 'node:crypto';
import { Header, Pax } from 'tar';

/** One file in a backup, as tar lists it. */
export interface BackupMember {
  /** The name, such as `packs/3f…/00000001`. */
  name: string;
  bytes: Buffer;
  /** The position of the head of this member in the backup, in bytes. */
  offset: number;
}

/** The maximum size of a member. Longer data is divided into numbered parts, so that each part is verified before it is used. */
export const MAX_MEMBER_BYTES = 4 * 1024 * 1024;
/** The name of the last member, which proves that the backup is complete. */
export const END_MEMBER = 'end.json';

const BLOCK_BYTES = 512;
/** A pax header, its records, and the ustar header, one block each. */
export const HEAD_BYTES = 3 * BLOCK_BYTES;
/** The end of a tar archive. */
export const TRAILER = Buffer.alloc(2 * BLOCK_BYTES);
const MODE = 0o600;
const COMMENT = /^sha256=([0-9a-f]{64})$/;

/** What the head of a member says. */
export interface MemberHead {
  name: string;
  sizeBytes: number;
  sha256: string;
  mtime: Date;
}

/**
 * Encodes the head of a member: ustar, with the SHA-256 of the bytes as the pax record `comment`, which tar ignores. Equal
 * values give equal bytes, so that a reader can encode what it has decoded, and compare.
 */
export function encodeHead({ name, sizeBytes, sha256, mtime }: MemberHead): Buffer {
  const records = new Pax({ path: name, comment: `sha256=${sha256}`, mtime }).encode();
  const header = new Header({ path: name, size: sizeBytes, mtime, mode: MODE, type: 'File' });
  header.encode();
  return Buffer.concat([records, header.block!], HEAD_BYTES);
}

/** Decodes the head of a member. @returns `null` if any byte differs from what {@link encodeHead} writes. */
export function decodeHead(head: Buffer): MemberHead | null {
  try {
    const { size: recordBytes = 0 } = new Header(head);
    const text = head.subarray(BLOCK_BYTES, BLOCK_BYTES + recordBytes).toString();
    const { comment = '', path: name = '', mtime } = Pax.parse(text);
    const { size: sizeBytes } = new Header(head, 2 * BLOCK_BYTES);
    const [, sha256] = COMMENT.exec(comment) ?? [];
    if (sha256 === undefined || sizeBytes === undefined || sizeBytes > MAX_MEMBER_BYTES || !mtime) return null;
    const decoded = { name, sizeBytes, sha256, mtime };
    return encodeHead(decoded).equals(head) ? decoded : null;
  } catch {
    return null;
  }
}

/** Returns the number of zeros after the bytes of a member. */
export function paddingOf(sizeBytes: number): number {
  return -sizeBytes & (BLOCK_BYTES - 1);
}

/** Adds a member to the digest of all members, which is the SHA-256 of their list in the format of `sha256sum`. */
export function listLine({ name, sha256 }: Pick<MemberHead, 'name' | 'sha256'>): string {
  return `${sha256}  ${name}\n`;
}

/** The name of the nth part of divided data. The first part is 1. */
export function partName(folder: string, part: number): string {
  return `${folder}/${String(part).padStart(8, '0')}`;
}

export const sha256Of = (bytes: Uint8Array): string => hash('sha256', bytes);
