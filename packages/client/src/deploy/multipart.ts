import { randomUUID } from 'node:crypto';
import { CreatedDeployment } from '@berth/contract';
import { readAnswer } from '../client.ts';
import { stateOf } from '../errors.ts';
import { retry } from '../retry.ts';
import { sendBody } from './body.ts';
import type { Changes } from './events.ts';
import type { Publication } from './input.ts';
import { multipartBody } from './multipart-body.ts';
import { createUploadProgress } from './upload-progress.ts';
import type { Work } from './work.ts';

/**
 * Publishes by the multipart route: all files in one request. It can be repeated safely with the same idempotency key.
 *
 * Source: contract §3.
 */
export async function uploadMultipart(work: Work, changes: Changes): Promise<CreatedDeployment> {
  const { source, asked, unfinished, signal, tell } = work;
  const progress = createUploadProgress(tell);
  progress.begin(source.files);
  tell({ type: 'planned', via: 'multipart', changes, missing: progress.total });

  async function send(): Promise<CreatedDeployment> {
    progress.begin(source.files);
    const boundary = `berth-${randomUUID()}`;
    const headers = {
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Idempotency-Key': unfinished.key,
    };
    const body = multipartBody(source, fieldsOf(asked), boundary, progress);
    const init = { method: 'POST', headers, signal };
    return readAnswer(
      asked.client,
      await sendBody(asked.client, 'deployments', init, body, progress.onBytes),
      CreatedDeployment,
    );
  }

  const deployment = await retry(async () => {
    try {
      return await send();
    } catch (failure) {
      if (stateOf(failure) !== 'idempotency_key_used') throw failure;
      unfinished.renew();
      return send();
    }
  }, work.retries());
  progress.end();
  return deployment;
}

function fieldsOf({ labels, password, ttl, via }: Publication): Record<string, string> {
  return {
    ...(labels === undefined ? {} : { labels: JSON.stringify(labels) }),
    ...(typeof password === 'string' ? { password } : {}),
    ...(ttl === undefined ? {} : { ttl: String(ttl) }),
    ...(via === undefined ? {} : { via }),
  };
}
