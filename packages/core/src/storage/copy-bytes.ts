/**
 * Copies bytes into a buffer at an offset. The memory of both may be shared with other threads, as long as no other thread changes it.
 *
 * For shared memory, `Buffer.fill` takes a 25th of the time of `set`, which copies single bytes in case another thread writes at the same time.
 */
export function copyBytes(bytes: Uint8Array, target: Buffer, offset: number): void {
  if (!isShared(bytes) && !isShared(target)) target.set(bytes, offset);
  else if (bytes.length > 0) target.fill(bytes, offset, offset + bytes.length);
}

function isShared({ buffer }: Uint8Array): boolean {
  return !(buffer instanceof ArrayBuffer);
}
