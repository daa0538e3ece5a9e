import { hash, randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { LimitFunction } from 'p-limit';
import { BLOCK_BYTES, signBlock, STORED_BLOCK_BYTES, storedBytes } from './blocks.ts';
import { type Bucket, storeFailed } from './bucket.ts';

const PART_BLOCKS = 8;
/** The bytes of a pack in each part of a large upload but the last. */
export const PART_BYTES = PART_BLOCKS * BLOCK_BYTES;
/** A pack of up to this size is uploaded with one request. */
export const SINGLE_BYTES = 16 * BLOCK_BYTES;

/** What an upload sends: the object of one pack, from its file. */
export interface UploadSource {
  pack: string;
  key: string;
  file: FileHandle;
}

/**
 * The upload of one pack. Parts of a large pack can be sent while it is still being written; parts that change afterwards are
 * sent again. The object appears complete or not at all.
 */
export class Upload {
  readonly #bucket: Bucket;
  readonly #source: UploadSource;
  /** Bounds the memory of all uploads. */
  readonly #limit: LimitFunction;
  /** Marks the object as that of this upload, because a response can be lost after its effect. */
  readonly #nonce = randomUUID();
  #uploadId: Promise<string> | null = null;
  /** The current uploads of the parts, by number from 0. */
  readonly #parts = new Map<number, Promise<string>>();
  /** The last requests for the parts, also for bytes that have changed since. */
  readonly #requests = new Map<number, Promise<unknown>>();
  /** Whether anything was sent, so that the store may contain something. */
  hasBegun = false;

  constructor(bucket: Bucket, source: UploadSource, limit: LimitFunction) {
    this.#bucket = bucket;
    this.#source = source;
    this.#limit = limit;
  }

  /** Starts to send a part whose bytes are all written, unless it was sent. */
  begin(part: number, packBytes = PART_BYTES): void {
    if (this.#parts.has(part)) return;
    this.hasBegun = true;
    const earlier = this.#requests.get(part);
    const sending = (async () => {
      // An earlier request for the part must not replace this one.
      await earlier?.catch(() => {});
      return this.#sendPart(part, packBytes);
    })();
    sending.catch(() => {}); // The method `finish` throws the error.
    this.#parts.set(part, sending);
    this.#requests.set(part, sending);
  }

  /** Records that bytes from a position on have changed, so that their parts are sent again. */
  invalidate(position: number, length: number): void {
    for (let part = Math.floor(position / PART_BYTES); part * PART_BYTES < position + length; part += 1)
      this.#parts.delete(part);
  }

  /** Sends what is left, and makes the object appear. It is durable afterwards. @throws with code `EIO`. */
  async finish(packBytes: number): Promise<void> {
    this.hasBegun = true;
    try {
      if (packBytes > SINGLE_BYTES) await this.#finishParts(packBytes);
      else {
        await this.abort();
        await this.#limit(() => this.#putWhole(packBytes));
      }
    } catch (error) {
      throw storeFailed(`store pack ${this.#source.pack}`, error);
    }
  }

  /** Removes the parts that were sent. */
  async abort(): Promise<void> {
    await Promise.allSettled(this.#requests.values());
    const UploadId = await this.#uploadId?.catch(() => undefined);
    if (UploadId === undefined) return;
    this.#uploadId = null;
    await this.#bucket.client.send(new AbortMultipartUploadCommand({ ...this.#target(), UploadId })).catch(() => {});
  }

  async #finishParts(packBytes: number): Promise<void> {
    const count = Math.ceil(packBytes / PART_BYTES);
    const lastBytes = packBytes - (count - 1) * PART_BYTES;
    if (lastBytes < PART_BYTES) this.#parts.delete(count - 1);
    for (let part = 0; part < count; part += 1) this.begin(part, part === count - 1 ? lastBytes : PART_BYTES);
    const tags = await Promise.all(Array.from({ length: count }, (_, part) => this.#parts.get(part)!));
    const Parts = tags.map((ETag, part) => ({ ETag, PartNumber: part + 1 }));
    const UploadId = await this.#uploadId!;
    await this.#unlessStored(
      packBytes,
      this.#bucket.client.send(
        new CompleteMultipartUploadCommand({
          ...this.#target(),
          UploadId,
          MultipartUpload: { Parts },
          IfNoneMatch: '*',
        }),
      ),
    );
  }

  async #putWhole(packBytes: number): Promise<void> {
    const Body = await readStored(this.#source, 0, packBytes);
    const put = new PutObjectCommand({
      ...this.#target(),
      Body,
      ContentMD5: hash('md5', Body, 'base64'),
      ContentLength: Body.length,
      IfNoneMatch: '*',
      Metadata: { upload: this.#nonce },
    });
    await this.#unlessStored(packBytes, this.#bucket.client.send(put));
  }

  async #sendPart(part: number, packBytes: number): Promise<string> {
    this.#uploadId ??= this.#create();
    const UploadId = await this.#uploadId;
    return this.#limit(async () => {
      const Body = await readStored(this.#source, part * PART_BYTES, packBytes);
      const command = new UploadPartCommand({
        ...this.#target(),
        UploadId,
        PartNumber: part + 1,
        Body,
        ContentMD5: hash('md5', Body, 'base64'),
        ContentLength: Body.length,
      });
      const { ETag } = await this.#bucket.client.send(command);
      if (ETag === undefined) throw new Error('the response to a part has no ETag');
      return ETag;
    });
  }

  async #create(): Promise<string> {
    const command = new CreateMultipartUploadCommand({ ...this.#target(), Metadata: { upload: this.#nonce } });
    const { UploadId } = await this.#bucket.client.send(command);
    if (UploadId === undefined) throw new Error('the response to a new upload has no id');
    return UploadId;
  }

  /** Waits for a request. If it fails, its outcome is unknown until the store says whether it has the object of this upload. */
  async #unlessStored(packBytes: number, request: Promise<unknown>): Promise<void> {
    try {
      await request;
    } catch (error) {
      const stored = await this.#bucket.client.send(new HeadObjectCommand(this.#target())).catch(() => null);
      if (stored?.Metadata?.['upload'] !== this.#nonce || stored.ContentLength !== storedBytes(packBytes)) throw error;
    }
  }

  #target(): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket.name, Key: this.#source.key };
  }
}

/** Reads bytes of a pack as they are stored. @param position A multiple of {@link BLOCK_BYTES}. */
export async function readStored({ pack, file }: UploadSource, position: number, packBytes: number): Promise<Buffer> {
  const stored = Buffer.allocUnsafeSlow(storedBytes(packBytes));
  for (let at = 0, number = position / BLOCK_BYTES; at < stored.length; at += STORED_BLOCK_BYTES, number += 1) {
    const block = stored.subarray(at, at + STORED_BLOCK_BYTES);
    await readFully(file, block.subarray(0, -4), number * BLOCK_BYTES);
    signBlock(pack, number, block);
  }
  return stored;
}

/** Fills `bytes` from a position of a file. @throws if the file is too short. */
export async function readFully(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, position + done);
    if (bytesRead === 0) throw new Error(`A pack ends before byte ${position + bytes.length}`);
    done += bytesRead;
  }
}
