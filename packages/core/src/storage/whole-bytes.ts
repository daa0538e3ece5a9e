import type { FileHandle } from 'node:fs/promises';

/** Writes all bytes. Repeats short writes. */
export async function writeFully(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let writtenBytes = 0; writtenBytes < bytes.length;) {
    const { bytesWritten } = await file.write(
      bytes,
      writtenBytes,
      bytes.length - writtenBytes,
      position + writtenBytes,
    );
    writtenBytes += bytesWritten;
  }
}

/** Reads some bytes of a file from a position, as `FileHandle.read` does. */
export interface PartialReader {
  read(bytes: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
}

/** Fills `bytes` from a position of a file. Repeats short reads. @throws if the file ends before. */
export async function readFully(file: PartialReader, bytes: Uint8Array, position: number): Promise<void> {
  for (let readBytes = 0; readBytes < bytes.length;) {
    const { bytesRead } = await file.read(bytes, readBytes, bytes.length - readBytes, position + readBytes);
    if (bytesRead === 0) throw new Error(`A pack ends before byte ${position + bytes.length}`);
    readBytes += bytesRead;
  }
}
