import type { Core } from '@berth/core';
import { ask, listen, stop } from '@berth/testing/raw-socket';
import { expect, it } from 'vitest';
import { createApiHost } from '../../src/api-host/api-host.ts';
import { createHttpServer } from '../../src/http/server.ts';

it('F7, api §2: a fault in any route sends the error body with a request id and no details, and is logged', async () => {
  const errors: { err: Error }[] = [];
  const log = { info() {}, warn() {}, error: (fields: object) => void errors.push(fields as { err: Error }) };
  const database = {
    isReady() {
      throw new Error('a secret of the inside');
    },
  };
  const api = createApiHost({
    core: { database } as unknown as Core,
    baseUrl: new URL('http://localhost'),
    claimUrl: 'http://localhost/claim',
    log,
    addressOf: () => '127.0.0.1',
  });
  const server = createHttpServer(api, { log });
  const port = await listen(server);
  try {
    const { status, headers, body } = await ask(port, 'GET /healthz HTTP/1.1');
    expect([status, JSON.parse(body)]).toEqual([
      500,
      {
        error: 'internal_server_error',
        message: expect.not.stringContaining('secret'),
        status: 500,
        details: { requestId: headers['x-request-id'] },
      },
    ]);
    expect(errors.map(({ err }) => err.message)).toEqual(['a secret of the inside']);
  } finally {
    await stop(server);
  }
});
