import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { buffer } from 'node:stream/consumers';
import { API_KEY, type BenchServer } from '../processes.ts';
import { get } from '../serve/get.ts';
import { deployBody, randomContents } from './bodies.ts';
import { residentBytes } from './send.ts';

const FILE_BYTES = 100_000;

/** What happened to uploads that all began at the same time. */
interface ManyUploads {
  /** Responses with another status than 201, and connections that broke. */
  refused: number;
  /** Published files whose bytes a visitor gets. */
  intact: number;
  ms: number;
  /** The most resident memory of the server since its start. */
  peakBytes: number;
}

/** Sends many uploads of one file at once, each on its own connection, then reads every published file. */
export async function measureManyUploads(server: BenchServer, uploads: number): Promise<ManyUploads> {
  const contents = randomContents(uploads, FILE_BYTES);
  const startedMs = performance.now();
  const urls = await Promise.all(contents.map((content) => upload(server, content)));
  const ms = performance.now() - startedMs;
  const peakBytes = await residentBytes(server.pid, 'VmHWM');
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const matches = await Promise.all(
    urls.map(async (url, i) => url !== null && (await readFileOf(server, agent, url)).equals(contents[i]!)),
  );
  agent.destroy();
  return {
    refused: urls.filter((url) => url === null).length,
    intact: matches.filter(Boolean).length,
    ms,
    peakBytes,
  };
}

/** @returns The address of the deployment; `null` if it was refused. */
async function upload({ port }: BenchServer, content: Buffer): Promise<string | null> {
  const { contentType, bytes } = deployBody([content]);
  const req = request({
    host: '127.0.0.1',
    port,
    path: '/deployments',
    method: 'POST',
    agent: false,
    headers: {
      Host: `localhost:${port}`,
      'Content-Type': contentType,
      'Content-Length': bytes.length,
      Authorization: `Bearer ${API_KEY}`,
    },
  });
  try {
    req.end(bytes);
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    const text = String(await buffer(res));
    return res.statusCode === 201 ? (JSON.parse(text) as { url: string }).url : null;
  } catch {
    return null;
  }
}

/** Returns the only file of a deployment. */
async function readFileOf({ port }: BenchServer, agent: Agent, url: string): Promise<Buffer> {
  return (await get(port, new URL(url).host, '/assets/0/file-0.bin', {}, agent)).body;
}
