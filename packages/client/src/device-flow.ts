import { DEVICE_GRANT_TYPE, DeviceAuthorization, DeviceToken } from '@berth/contract';
import { type BerthClient, parseWebAddress, readResponse } from './client.ts';
import { ClientError } from './errors.ts';
import { retryAfterMs } from './retry.ts';
import { sleep } from './sleep.ts';

/** The longest pause between two requests, in seconds, whatever the server asks for. */
const MAX_INTERVAL_SECONDS = 60;

/** What a person needs to approve a program. */
export interface DevicePrompt {
  /** The code to type, such as `BCDF-GHJK`. */
  code: string;
  /** The page on which the person types the code. */
  page: string;
  /** The same page with the code in its text box. */
  pageWithCode: string;
  /** When the code expires. */
  expires: Date;
}

/** The options of {@link requestKey}. */
export interface DeviceFlowOptions {
  /** A client of the server, without a key. */
  client: BerthClient;
  /** What the program calls itself, such as `berth-cli`. The person sees it. */
  program: string;
  /** The name of this device. The person sees it, and the key is labelled with it. */
  device?: string | undefined;
  /** Called once, with what the person needs. Show it at once. */
  onPrompt: (prompt: DevicePrompt) => void;
  /** Stops the request. Default: it stops when the code expires. */
  signal?: AbortSignal | undefined;
}

/**
 * Asks a person for an API key: the person opens a page of the console, types a code and approves. Waits for the decision, also
 * while the server cannot be reached.
 *
 * @returns The key; `null` if the server does not offer this way.
 * @throws ClientError of the kind `refused` if the person denied or the code has expired; `aborted`; or if the first request fails.
 *   Source: RFC 8628.
 */
export async function requestKey({
  client,
  program,
  device,
  onPrompt,
  signal = new AbortController().signal,
}: DeviceFlowOptions): Promise<string | null> {
  const started = await begin(client, { client_id: program, ...(device && { device_name: device }) }, signal);
  if (started === null) return null;
  const expires = new Date(Date.now() + started.expires_in * 1000);
  onPrompt({
    code: started.user_code,
    page: requireWebAddress(client, started.verification_uri),
    pageWithCode: requireWebAddress(client, started.verification_uri_complete),
    expires,
  });
  for (let pauseMs = started.interval * 1000; ;) {
    await sleep(Math.min(pauseMs, MAX_INTERVAL_SECONDS * 1000), signal).catch(() => signal.throwIfAborted());
    try {
      const response = await post(
        client,
        'oauth/token',
        { grant_type: DEVICE_GRANT_TYPE, device_code: started.device_code, client_id: program },
        signal,
      );
      return (await readResponse(client, response, DeviceToken)).access_token;
    } catch (error) {
      pauseMs = Math.max(pauseMs, pauseAfter(error, started.interval * 1000, pauseMs));
      if (Date.now() >= expires.getTime()) throw expired();
    }
  }
}

async function begin(
  client: BerthClient,
  fields: Record<string, string>,
  signal: AbortSignal,
): Promise<DeviceAuthorization | null> {
  try {
    const response = await post(client, 'oauth/device_authorization', fields, signal);
    return await readResponse(client, response, DeviceAuthorization);
  } catch (error) {
    if (error instanceof ClientError && (error.status === 404 || error.status === 405)) return null;
    throw error;
  }
}

function post(
  client: BerthClient,
  path: string,
  fields: Record<string, string>,
  signal: AbortSignal,
): Promise<Response> {
  return client.request(path, { method: 'POST', body: new URLSearchParams(fields), signal });
}

/** Returns the pause before the next request, in milliseconds. @throws The error if no further request can succeed. */
function pauseAfter(error: unknown, intervalMs: number, pauseMs: number): number {
  if (!(error instanceof ClientError)) throw error;
  switch (error.code) {
    case 'authorization_pending':
      return pauseMs;
    case 'slow_down':
      return pauseMs + intervalMs;
    case 'access_denied':
      throw new ClientError('refused', 'The request was denied in the browser.', { cause: error });
    case 'expired_token':
    case 'invalid_grant':
      throw expired(error);
  }
  if (error.kind !== 'network' && error.kind !== 'unavailable') throw error;
  return Math.max(pauseMs, retryAfterMs(error));
}

function expired(cause?: unknown): ClientError {
  return new ClientError('refused', 'The code has expired before it was approved. Start again.', { cause });
}

/** A server must not make the program open anything but a web page. */
function requireWebAddress({ server }: BerthClient, text: string): string {
  const url = parseWebAddress(text);
  if (url === null)
    throw new ClientError('server', `${server.host} sent ${JSON.stringify(text)}, which is not a web address.`);
  return url.href;
}
