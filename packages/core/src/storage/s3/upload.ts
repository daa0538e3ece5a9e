import { randomUUID } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { BLOCK_BYTES, storedBytes } from './blocks.ts';
import { type Bodies, type PackSource, PART_BYTES } from './bodies.ts';
import { type Bucket, storeFailed } from './bucket.ts';

/** A pack of up to this size is uploaded with one request. */
export const SINGLE_BYTES = 8 * BLOCK_BYTES;

/** What an upload sends: the object of one pack. */
export interface UploadSource extends PackSource {
  key: string;
}

/**
 * The upload of one pack. Parts of a large pack can be sent while it is still being written; parts that change afterwards are
 * sent again. The object appears complete or not at all.
 */
export class Upload {
  readonly #bucket: Bucket;
  readonly #source: UploadSource;
  readonly #bodies: Bodies;
  /** Marks the object as that of this upload, because a response can be lost after its effect. */
  readonly #nonce = randomUUID();
  #uploadId: Promise<string> | null = null;
  /** The current uploads of the parts, by number from 0. */
  readonly #parts = new Map<number, Promise<string>>();
  /** The last requests for the parts, also for bytes that have changed since. */
  readonly #requests = new Map<number, Promise<unknown>>();
  /** Whether anything was sent, so that the store may contain something. */
  hasBegun = false;

  constructor(bucket: Bucket, source: UploadSource, bodies: Bodies) {
    this.#bucket = bucket;
    this.#source = source;
    this.#bodies = bodies;
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

  /**
   * Sends what is left, and makes the object appear. It is durable afterwards.
   *
   * @returns The bytes of the object if they were sent with one request, otherwise `null`.
   * @throws with code `EIO`.
   */
  async finish(packBytes: number): Promise<Buffer | null> {
    this.hasBegun = true;
    try {
      if (packBytes > SINGLE_BYTES) {
        await this.#finishParts(packBytes);
        return null;
      }
      await this.abort();
      return await this.#putWhole(packBytes);
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

  #putWhole(packBytes: number): Promise<Buffer> {
    return this.#bodies.use(this.#source, 0, packBytes, async ({ bytes, md5 }) => {
      const put = new PutObjectCommand({
        ...this.#target(),
        Body: bytes,
        ContentMD5: md5,
        ContentLength: bytes.length,
        IfNoneMatch: '*',
        Metadata: { upload: this.#nonce },
      });
      await this.#unlessStored(packBytes, this.#bucket.client.send(put));
      return bytes;
    });
  }

  async #sendPart(part: number, packBytes: number): Promise<string> {
    this.#uploadId ??= this.#create();
    const UploadId = await this.#uploadId;
    return this.#bodies.use(this.#source, part * PART_BYTES, packBytes, async ({ bytes, md5 }) => {
      const command = new UploadPartCommand({
        ...this.#target(),
        UploadId,
        PartNumber: part + 1,
        Body: bytes,
        ContentMD5: md5,
        ContentLength: bytes.length,
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
