import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { API_KEY, type BenchServer } from '../processes.ts';

/** Sends a body and waits for the response, which must have the expected status. @returns Milliseconds from the first byte to the response. */
export async function send(
  server: BenchServer,
  contentType: string,
  length: number,
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
  expectedStatus = 201,
): Promise<number> {
  const started = performance.now();
  const req = request({
    host: '127.0.0.1',
    port: server.port,
    path: '/deployments',
    method: 'POST',
    headers: {
      Host: `localhost:${server.port}`,
      'Content-Type': contentType,
      'Content-Length': length,
      Authorization: `Bearer ${API_KEY}`,
    },
  });
  // A server that refuses a body closes the connection after its response.
  req.on('error', () => {});
  const response = once(req, 'response');
  for await (const piece of pieces) if (!req.write(piece)) await Promise.race([once(req, 'drain'), response]);
  req.end();
  const [res] = await response;
  let text = '';
  for await (const chunk of res) text += chunk;
  if (res.statusCode !== expectedStatus) throw new Error(`${res.statusCode}: ${text}`);
  return performance.now() - started;
}

/** Returns the resident memory of a process in bytes: the present one, or with `VmHWM` the most so far. */
export async function residentBytes(pid: number, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN) * 1024;
}
