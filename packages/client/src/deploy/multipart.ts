import { randomUUID } from 'node:crypto';
import { CreatedDeployment } from '@berth/contract';
import { readResponse } from '../client.ts';
import { refusalStateOf } from '../errors.ts';
import { retry } from '../retry.ts';
import { sendBody } from './body.ts';
import type { Changes } from './events.ts';
import type { Publication } from './input.ts';
import { multipartBody } from './multipart-body.ts';
import { createUploadProgress } from './upload-progress.ts';
import type { DeployContext } from './deploy-context.ts';

/**
 * Publishes by the multipart route: all files in one request. It can be repeated safely with the same idempotency key.
 *
 * Source: api §3.
 */
export async function uploadMultipart(context: DeployContext, changes: Changes): Promise<CreatedDeployment> {
  const { source, publication, resumeState, signal, emit } = context;
  const progress = createUploadProgress(emit);
  progress.begin(source.files);
  emit({ type: 'planned', via: 'multipart', changes, missing: progress.total });

  async function send(): Promise<CreatedDeployment> {
    progress.begin(source.files);
    const boundary = `berth-${randomUUID()}`;
    const headers = {
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Idempotency-Key': resumeState.key,
    };
    const body = multipartBody(source, fieldsOf(publication), boundary, progress);
    const init = { method: 'POST', headers, signal };
    return readResponse(
      publication.client,
      await sendBody(publication.client, 'deployments', init, body, progress.onBytes),
      CreatedDeployment,
    );
  }

  const deployment = await retry(async () => {
    try {
      return await send();
    } catch (failure) {
      if (refusalStateOf(failure) !== 'idempotency_key_used') throw failure;
      resumeState.renew();
      return send();
    }
  }, context.startRetries());
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
