import { createHash, randomUUID } from 'node:crypto';
import { CreatedDeployment, FILES_FIELD } from '@berth/contract';
import { readResponse } from '../client.ts';
import { refusalStateOf } from '../errors.ts';
import { retry } from '../retry.ts';
import { sendBody } from './body.ts';
import type { DeployContext } from './delta.ts';
import type { Changes } from './events.ts';
import type { Publication } from './input.ts';
import type { Source } from './source.ts';
import { UploadProgress } from './upload-progress.ts';

/** Publishes all files in one multipart request. A retry with the same idempotency key is safe. Source: api §3. */
export async function uploadMultipart(context: DeployContext, changes: Changes): Promise<CreatedDeployment> {
  const { source, publication, resumeState, signal, emit } = context;
  const { client } = publication;
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
    const body = multipartBody(source, publication, boundary, progress);
    const response = await sendBody(client, 'deployments', { method: 'POST', headers, signal }, body, progress);
    return readResponse(client, response, CreatedDeployment);
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

/** Generates the form of `POST /deployments`: the fields, the files, and then the checksums of the files. Source: api §3. */
async function* multipartBody(
  source: Source,
  { labels, password, ttl, via, domain, keep }: Publication,
  boundary: string,
  progress: UploadProgress,
): AsyncGenerator<Uint8Array> {
  const field = (name: string, value: string) =>
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  const fields = {
    labels: labels && JSON.stringify(labels),
    password,
    ttl: ttl?.toString(),
    via,
    domain,
    keep: keep?.toString(),
    open: domain !== undefined && password === null ? '1' : undefined,
  };
  for (const [name, value] of Object.entries(fields)) if (typeof value === 'string') yield field(name, value);
  const checksums: string[] = [];
  for (const file of source.files) {
    const pieces = source.read(file);
    yield Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${FILES_FIELD}"; filename="${file.path}"\r\n` +
        'Content-Type: application/octet-stream\r\n\r\n',
    );
    const md5 = createHash('md5');
    for await (const piece of pieces) {
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
