import type { IncomingMessage, ServerResponse } from 'node:http';
import { authenticate, type Context, type Core, ServiceError } from '@berth/core';
import { requestIdOf } from '../http/error-answer.ts';

/**
 * Makes the context of a request: who calls, and under which request id.
 *
 * @param addressOf The client's address, past trusted proxies; empty when its connection is gone.
 */
export function createContextOf(core: Core, addressOf: (req: IncomingMessage) => string) {
  /**
   * @throws `authentication_failed`; `forbidden` for a suspended or terminated account; `request_timeout` for an anonymous
   *   client who left before its address was known, since the address is all that tells it from others.
   */
  return async (req: IncomingMessage, res: ServerResponse): Promise<Context> => {
    const caller = await authenticate(core, req.headers.authorization, addressOf(req));
    if (caller.kind === 'anonymous' && caller.address === '')
      throw new ServiceError('request_timeout', 'The connection was closed.');
    return { core, caller, requestId: requestIdOf(res) };
  };
}
