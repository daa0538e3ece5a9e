import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { hash } from 'node:crypto';
import { type Bucket, isMissing, statusOf, storeFailed } from './bucket.ts';

/** An object beside the packs with the id of the installation to which they belong. */
export interface StoreMarker {
  /** Returns the id; `null` if there is no such object. @throws with code `EIO` if the bucket cannot be used. */
  read(): Promise<string | null>;
  /** Creates the object unless it exists. @throws with code `EIO`. */
  create(id: string): Promise<void>;
  /** Where the object is, such as `s3://bucket/berth-store.json`. */
  readonly url: string;
}

const PRECONDITION_FAILED = 412;

export function createStoreMarker({ client, name: Bucket, prefix }: Bucket): StoreMarker {
  const target = { Bucket, Key: `${prefix}berth-store.json` };
  const url = `s3://${Bucket}/${target.Key}`;
  return {
    url,
    async read() {
      try {
        const { Body: body } = await client.send(new GetObjectCommand(target));
        const { store } = JSON.parse((await body?.transformToString()) ?? '') as { store?: unknown };
        if (typeof store !== 'string') throw new Error('it has no id');
        return store;
      } catch (error) {
        if (isMissing(error)) return null;
        throw storeFailed(`read ${url}`, error);
      }
    },
    async create(store) {
      const Body = Buffer.from(`${JSON.stringify({ store })}\n`);
      const ContentMD5 = hash('md5', Body, 'base64');
      const put = new PutObjectCommand({
        ...target,
        Body,
        ContentMD5,
        ContentType: 'application/json',
        IfNoneMatch: '*',
      });
      try {
        await client.send(put);
      } catch (error) {
        if (statusOf(error) !== PRECONDITION_FAILED) throw storeFailed(`write ${url}`, error);
      }
    },
  };
}
