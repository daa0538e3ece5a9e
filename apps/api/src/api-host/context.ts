import type { IncomingMessage, ServerResponse } from 'node:http';
import { authenticate, type Context, type Core } from '@berth/core';
import { requestIdOf } from '../http/error-answer.ts';

/**
 * Makes the context of a request: who calls, and under which request id.
 *
 * @param addressOf The client's address, past trusted proxies.
 */
export function createContextOf(core: Core, addressOf: (req: IncomingMessage) => string) {
  /** @throws `authentication_failed`; `forbidden` for a suspended or terminated account. */
  return async (req: IncomingMessage, res: ServerResponse): Promise<Context> => ({
    core,
    caller: await authenticate(core, req.headers.authorization, addressOf(req)),
    requestId: requestIdOf(res),
  });
}
