import { CONTENT_HEAD_BYTES } from '@berth/contract';
import type { FolderFile } from './snapshot.ts';

const SHA256_BYTES = 32;

/** Creates the header before a content in a body: its hash and its size. Source: api §9. */
export function contentHead({ sha256, size }: FolderFile): Uint8Array<ArrayBuffer> {
  const head = new Uint8Array(CONTENT_HEAD_BYTES);
  for (let at = 0; at < SHA256_BYTES; at += 1) head[at] = Number.parseInt(sha256.slice(2 * at, 2 * at + 2), 16);
  new DataView(head.buffer).setBigUint64(SHA256_BYTES, BigInt(size));
  return head;
}
