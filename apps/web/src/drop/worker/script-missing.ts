import { ClientError } from '@berth/client/browser';

/** Handles the failed import of a module that is loaded when it is needed. @throws ClientError of the kind `network`. */
export function scriptMissing(cause: unknown): never {
  throw new ClientError('network', `A part of this page cannot be loaded from ${location.host}.`, { cause });
}
