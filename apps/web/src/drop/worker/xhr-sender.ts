import { type BerthClient, ClientError } from '@berth/client/browser';
import {
  bodiesOf,
  type ContentsSender,
  type HashedFile,
  responseError,
  toClientError,
} from '@berth/client/browser/upload';

/**
 * Creates a sender that reports the bytes while they are sent, which only `XMLHttpRequest` can do. The browser reads the files while
 * it sends them, and adds the cookie of the session.
 */
export function xhrSender({ server }: BerthClient, files: readonly HashedFile[]): ContentsSender {
  const bodyOf = bodiesOf(files);
  return async (path, { method, headers, signal }, contents, progress) => {
    const body = bodyOf(contents);
    const total = contents.reduce((sum, { size }) => sum + size, 0);
    let counted = 0;
    // The body also has a header before each content. Only bytes of contents count.
    const countSent = (sent: number) => {
      const bytes = Math.max(counted, sent - (body.size - total));
      progress.onPiece(bytes - counted);
      progress.onBytes(bytes - counted);
      counted = bytes;
    };
    try {
      const response = await send({ method, url: new URL(path, server), headers, body, signal }, countSent);
      if (!response.ok) throw await responseError(response, server);
      countSent(body.size);
      for (const _ of contents) progress.onFile();
      return response;
    } catch (thrown) {
      throw toClientError(thrown, server, signal);
    }
  };
}

interface XhrRequest {
  method: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: Blob;
  signal: AbortSignal;
}

function send({ method, url, headers, body, signal }: XhrRequest, onSent: (bytes: number) => void): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const xhr = new XMLHttpRequest();
  const abort = () => xhr.abort();
  xhr.open(method, url);
  xhr.setRequestHeader('X-Berth-Console', '1');
  for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
  xhr.upload.addEventListener('progress', ({ loaded }) => onSent(loaded));
  xhr.addEventListener('load', () => resolve(responseOf(xhr)));
  xhr.addEventListener('error', () =>
    reject(new ClientError('network', `${url.host} cannot be reached, or a file changed while it was sent.`)),
  );
  xhr.addEventListener('abort', () => reject(signal.reason as Error));
  xhr.addEventListener('loadend', () => signal.removeEventListener('abort', abort));
  signal.addEventListener('abort', abort);
  if (signal.aborted) reject(signal.reason as Error);
  else xhr.send(body);
  return promise;
}

function responseOf(xhr: XMLHttpRequest): Response {
  const retryAfter = xhr.getResponseHeader('Retry-After');
  return new Response(xhr.responseText, {
    status: xhr.status,
    headers: retryAfter === null ? {} : { 'Retry-After': retryAfter },
  });
}
