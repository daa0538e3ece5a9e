import { hostname } from 'node:os';
import { type BerthClient, ClientError, type DevicePrompt, requestKey } from '@berth/client';

const PROGRAM = 'berth-desktop';

/** A sign-in that a person approves in the browser. */
export interface BrowserSignIn {
  prompt: DevicePrompt;
  /** Resolves with the API key after the approval. Rejects if the person denied it, the code has expired, or it was cancelled. */
  key: Promise<string>;
  cancel(): void;
}

/**
 * Begins a sign-in in the browser.
 *
 * @param client A client of the server, without a key.
 * @param closing Cancels the sign-in.
 * @returns `null` if the server does not offer this way.
 * @throws ClientError if the server cannot be reached or refuses to begin. Source: api §13; RFC 8628.
 */
export async function beginBrowserSignIn(client: BerthClient, closing: AbortSignal): Promise<BrowserSignIn | null> {
  const cancelling = new AbortController();
  const { promise: prompted, resolve: onPrompt } = Promise.withResolvers<DevicePrompt>();
  const key = requestKey({
    client,
    program: PROGRAM,
    device: hostname(),
    signal: AbortSignal.any([closing, cancelling.signal]),
    onPrompt,
  });
  const prompt = await Promise.race([prompted, key.then(() => null)]);
  if (prompt === null) return null;
  const approved = key.then((approvedKey) => approvedKey!);
  // The page may never ask for the result.
  approved.catch(() => {});
  return {
    prompt,
    key: approved,
    cancel: () => cancelling.abort(new ClientError('aborted', 'The sign-in was cancelled.')),
  };
}
