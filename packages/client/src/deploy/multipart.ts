import { createHash, randomUUID } from 'node:crypto';
import { CreatedDeployment, FILES_FIELD } from '@berth/contract';
import { readResponse } from '../client.ts';
import { refusalStateOf } from '../errors.ts';
import { retry } from '../retry.ts';
import { sendBody } from './body.ts';
import type { Changes } from './events.ts';
import type { Publication } from './input.ts';
import { piecesOf, type Source } from './source.ts';
import { UploadProgress } from './upload-progress.ts';
import type { DeployContext } from './deploy-context.ts';

/**
 * Publishes by the multipart route: all files in one request. It can be repeated safely with the same idempotency key.
 *
 * Source: api §3.
 */
export async function uploadMultipart(context: DeployContext, changes: Changes): Promise<CreatedDeployment> {
  const { source, publication, resumeState, signal, emit } = context;
  const progress = new UploadProgress(emit);
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
      await sendBody(publication.client, 'deployments', init, body, progress),
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

/**
 * Generates the form of `POST /deployments`: the fields, the files, and then their checksums, which are computed on the way.
 *
 * Source: api §3.
 */
async function* multipartBody(
  source: Source,
  fields: Readonly<Record<string, string>>,
  boundary: string,
  progress: UploadProgress,
): AsyncGenerator<Uint8Array> {
  const field = (name: string, value: string) =>
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  for (const [name, value] of Object.entries(fields)) yield field(name, value);
  const checksums: string[] = [];
  for (const file of source.files) {
    const bytes = source.read(file);
    yield Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${FILES_FIELD}"; filename="${file.path}"\r\n` +
        'Content-Type: application/octet-stream\r\n\r\n',
    );
    const md5 = createHash('md5');
    for await (const piece of piecesOf(bytes)) {
      md5.update(piece);
      yield piece;
      progress.onPiece(piece.length);
    }
    checksums.push(md5.digest('hex'));
    yield Buffer.from('\r\n');
    progress.onFile();
  }
  yield field('checksums', JSON.stringify(checksums));
  yield Buffer.from(`--${boundary}--\r\n`);
}
