import { randomUUID } from 'node:crypto';
import { CreatedDeployment } from '@berth/contract';
import { readResponse } from '../client.ts';
import { ClientError } from '../errors.ts';
import { yieldEvents } from '../progress.ts';
import { isTemporary, type RetryCounter } from '../retry.ts';
import { type ArchiveSource, openArchive } from './archive-source.ts';
import { sendBody } from './body.ts';
import type { DeployEvent } from './events.ts';
import type { DeployArchiveInput, DeployOptions, Publication } from './input.ts';
import { checkPublication, publishWith } from './publish.ts';
import { UploadProgress } from './upload-progress.ts';

/**
 * Publishes an archive, emits the events of the deploy, and returns the deployment. Emits the same events as `deployFolder`, except
 * `walked` and `hashed`.
 *
 * The archive is streamed, so memory use does not depend on its size. Temporary failures are retried, and reported as `retried`, as
 * long as the archive can be read once more. A deploy that is killed or aborted publishes nothing, and cannot be resumed.
 *
 * @throws ClientError: `folder` if the archive cannot be read or has another format; `aborted` if the caller aborted; otherwise
 *   the error of the server.
 * Source: api §11.
 */
export function deployArchive(
  input: DeployArchiveInput,
  options: Omit<DeployOptions, 'cacheDir' | 'delta'> = {},
): AsyncGenerator<DeployEvent, CreatedDeployment, undefined> {
  return yieldEvents(options.signal, async (emit, signal) => {
    checkPublication(input);
    checkHeaderPassword(input.password);
    const source = await openArchive(input.archive, signal);
    return publishWith({ publication: input, emit, signal }, options, (whole, startRetries) => {
      const publication = { ...input, ...whole };
      return uploadArchive({ source, publication, emit, signal }, startRetries());
    });
  });
}

interface ArchiveContext {
  source: ArchiveSource;
  publication: Publication;
  emit: (event: DeployEvent) => void;
  signal: AbortSignal;
}

/** Sends an archive until the server accepts it. All attempts have the same idempotency key, so they publish once. */
async function uploadArchive(
  { source, publication, emit, signal }: ArchiveContext,
  retries: RetryCounter,
): Promise<CreatedDeployment> {
  const { client } = publication;
  const changes = { added: [], changed: [], removed: [], unchanged: 0 };
  const archive = { path: 'archive', size: source.size ?? 0, sha256: '' };
  const progress = new UploadProgress(emit);
  progress.begin([archive]);
  emit({ type: 'planned', via: 'archive', changes, missing: progress.total });
  const headers = { ...headersOf(publication), 'Content-Type': source.type, 'Idempotency-Key': randomUUID() };
  async function* body(): AsyncGenerator<Uint8Array> {
    for await (const piece of source.read()) {
      yield piece;
      progress.onPiece(piece.length);
    }
  }
  for (;;) {
    progress.begin([archive]);
    try {
      const init = { method: 'POST', headers, signal };
      const response = await sendBody(client, `deployments?${queryOf(publication)}`, init, body(), progress);
      const deployment = await readResponse(client, response, CreatedDeployment);
      progress.end();
      return deployment;
    } catch (failure) {
      if (isTemporary(failure) && !source.isReadable()) throw unrepeatable(failure);
      await retries.waitAfter(failure);
    }
  }
}

/** Formats the options of a deploy as query parameters. Source: api §11. */
function queryOf({ labels, password, ttl, via, domain, keep }: Publication): URLSearchParams {
  const options = {
    via,
    ttl,
    domain,
    keep,
    open: domain !== undefined && password === null ? 1 : undefined,
    protected: typeof password === 'string' ? 1 : undefined,
  };
  const query = new URLSearchParams((labels ?? []).map((label): [string, string] => ['label', label]));
  for (const [name, value] of Object.entries(options)) if (value !== undefined) query.set(name, String(value));
  return query;
}

/** Returns the header with the password. The text of a header is Latin-1, so the bytes of the UTF-8 text are its characters. */
function headersOf({ password }: Publication): Record<string, string> {
  return typeof password === 'string' ? { 'Berth-Password': Buffer.from(password.trim()).toString('latin1') } : {};
}

/** @throws ClientError of the kind `refused` for a password that cannot be the text of a header. */
function checkHeaderPassword(password: string | null | undefined): void {
  if (/\p{Cc}/u.test(password?.trim() ?? ''))
    throw new ClientError(
      'refused',
      'The password of an archive must have no control characters. Use another password.',
    );
}

/** Adds to a temporary failure that the stream cannot be sent a second time. */
function unrepeatable({ kind, message, code, status, retryAfterSeconds }: ClientError): ClientError {
  return new ClientError(
    kind,
    `${message} A part of the archive was already read from the stream and cannot be sent again. Run the command again, or save the archive to a file: a file is sent again automatically.`,
    {
      code: code ?? undefined,
      status: status ?? undefined,
      retryAfterSeconds: retryAfterSeconds ?? undefined,
    },
  );
}
