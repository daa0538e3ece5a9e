import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';

const SCRIPT = join(import.meta.dirname, '../src/healthcheck.js');

async function runHealthcheck(env: Record<string, string>): Promise<{ code: number; reason: string }> {
  const child = spawn(process.execPath, [SCRIPT], { env, stdio: ['ignore', 'inherit', 'pipe'] });
  const [reason, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code: code as number, reason };
}

/** Runs the health check against a server on a free port. */
async function checkServer(server: Server): Promise<{ code: number; reason: string }> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await runHealthcheck({ HOST: '127.0.0.1, ::1', PORT: String((server.address() as AddressInfo).port) });
  } finally {
    server.close();
  }
}

const checkListener = (listener: RequestListener) => checkServer(createServer(listener));

describe('the health check', () => {
  it('exits with 0 when GET /livez returns 200, also if the rest of the configuration is invalid', async () => {
    const requests: string[] = [];
    const { code, reason } = await checkListener((req, res) => {
      requests.push(`${req.method} ${req.headers.host}${req.url}`);
      res.end();
    });
    expect({ code, reason, requests }).toEqual({ code: 0, reason: '', requests: ['GET localhost/livez'] });
  });

  it('exits with 1 and a reason for any other status', async () => {
    const result = await checkListener((_req, res) => void res.writeHead(503).end());
    expect(result).toEqual({
      code: 1,
      reason: '/livez responded with "HTTP/1.1 503 Service Unavailable"; a server that works responds with 200\n',
    });
  });

  it('exits with 1 and a reason when the connection ends without a response', async () => {
    const { code, reason } = await checkServer(createTcpServer((socket) => socket.end()));
    expect({ code, reason }).toEqual({
      code: 1,
      reason: expect.stringMatching(/^port \d+ closed the connection without a response\n$/),
    });
  });

  it('exits with 1 when no server listens, or when the port is invalid', async () => {
    expect(await runHealthcheck({ HOST: '127.0.0.1', PORT: '1' })).toMatchObject({
      code: 1,
      reason: expect.stringContaining('ECONNREFUSED'),
    });
    expect(await runHealthcheck({ PORT: 'x' })).toEqual({
      code: 1,
      reason: 'PORT must be a number from 1 to 65535\n',
    });
  });
});
