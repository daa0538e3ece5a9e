import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';

const SCRIPT = join(import.meta.dirname, '../src/healthcheck.ts');

async function check(env: Record<string, string>): Promise<{ code: number; reason: string }> {
  const child = spawn(process.execPath, [SCRIPT], { env, stdio: ['ignore', 'inherit', 'pipe'] });
  const [reason, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code: code as number, reason };
}

/** Checks a server that answers with `listener`. */
async function checkServer(listener: RequestListener): Promise<{ code: number; reason: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    return await check({ HOST: '127.0.0.1', PORT: String(port), BASE_URL: 'https://api.example.com' });
  } finally {
    server.close();
  }
}

describe('the health check', () => {
  it('exits with 0 when /healthz of the API host answers 200', async () => {
    const requests: string[] = [];
    const { code, reason } = await checkServer((req, res) => {
      requests.push(`${req.method} ${req.headers.host}${req.url}`);
      res.end();
    });
    expect({ code, reason, asked: requests }).toEqual({ code: 0, reason: '', asked: ['GET api.example.com/healthz'] });
  });

  it('exits with 1 and a reason for any other answer', async () => {
    const found = await checkServer((_req, res) => void res.writeHead(503).end());
    expect(found).toEqual({ code: 1, reason: '/healthz answered 503.\n' });
  });

  it('exits with 1 when no server listens, or when the configuration is invalid', async () => {
    expect(await check({ HOST: '127.0.0.1', PORT: '1' })).toMatchObject({
      code: 1,
      reason: expect.stringContaining('ECONNREFUSED'),
    });
    expect(await check({ PORT: 'x' })).toMatchObject({
      code: 1,
      reason: expect.stringMatching(/^PORT: "x" is not a port/),
    });
  });
});
