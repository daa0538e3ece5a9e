import { CONTENT_HEAD_BYTES } from '@berth/contract';
import type { FolderFile } from './snapshot.ts';

const SHA256_BYTES = 32;

/** Creates the header before a content in a body: its hash and its size. Source: api §9. */
export function contentHead(content: FolderFile): Uint8Array<ArrayBuffer> {
  const head = new Uint8Array(CONTENT_HEAD_BYTES);
  writeContentHead(new DataView(head.buffer), 0, content);
  return head;
}

/** Writes the {@link contentHead} of a content into a body. @param at Where it begins, in bytes. */
export function writeContentHead(body: DataView, at: number, { sha256, size }: FolderFile): void {
  for (let i = 0; i < SHA256_BYTES; i += 1)
    body.setUint8(at + i, (hexDigit(sha256.charCodeAt(2 * i)) << 4) | hexDigit(sha256.charCodeAt(2 * i + 1)));
  body.setBigUint64(at + SHA256_BYTES, BigInt(size));
}

/** Returns the value of a digit: in ASCII, the low bits of `0` are 0, and those of `a` and `A` are 1. */
function hexDigit(code: number): number {
  return (code & 0xf) + (code >> 6) * 9;
}
