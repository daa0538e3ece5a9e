import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CreatedDeployment } from '@berth/contract';
import type { ServerProcess } from '@berth/testing/process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, withServer, type World } from '../crash/world.ts';
import { beginUpload } from './slow-upload.ts';

const BIG_FILE = Buffer.alloc(32 * 1024 ** 2, 'a big file, ');

describe('a server that is stopped', () => {
  let world: World;
  let server: ServerProcess;
  beforeEach(async () => {
    world = await createWorld();
    server = await world.start({ LOG_LEVEL: 'info' });
  });
  afterEach(() => world.drop());

  async function requestStop(): Promise<void> {
    server.child.kill('SIGTERM');
    await server.printed('Stopping');
  }

  it('finishes the running upload and download, accepts no new connection, and exits with 0', async () => {
    const { deployment } = await server.publish({ 'big.bin': BIG_FILE });
    const download = beginDownload(server.port, deployment, '/big.bin');
    const [downloaded] = (await once(download, 'response')) as [IncomingMessage];
    downloaded.pause();
    const { upload, missingBytes: tail } = await beginUpload(server.port);

    await requestStop();
    await expect
      .poll(() =>
        connectTo(server.port).then(
          () => 'connected',
          ({ code }) => code,
        ),
      )
      .toBe('ECONNREFUSED');

    upload.end(tail);
    const [response] = (await once(upload, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(201);
    const created = JSON.parse(String(await readAll(response))) as CreatedDeployment;
    expect((await readAll(downloaded)).equals(BIG_FILE)).toBe(true);
    expect(await server.exited).toBe(0);

    await withServer(world.env(), async ({ visit }) => expect((await visit(created.deployment)).text).toBe('slow'));
  });

  it('exits at once at a second signal, unless the signal is a duplicate of the first', async () => {
    const { upload } = await beginUpload(server.port);
    const uploadFailure = expect(once(upload, 'response')).rejects.toMatchObject({ code: 'ECONNRESET' });
    server.child.kill('SIGTERM');
    await requestStop();
    await sleep(600);
    expect(server.child.exitCode).toBe(null);
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(1);
    await uploadFailure;
  });

  it('does not wait for connections without a complete request', async () => {
    const idleConnection = await connectTo(server.port);
    const incompleteRequest = await connectTo(server.port);
    incompleteRequest.write('GET / HTTP/1.1\r\nHost: localhost\r\n');
    await server.api('/ping');

    const stoppedAt = performance.now();
    await requestStop();
    expect(await server.exited).toBe(0);
    expect(performance.now() - stoppedAt).toBeLessThan(20_000);
    idleConnection.destroy();
    incompleteRequest.destroy();
  });
});

function beginDownload(port: number, site: string, path: string): ClientRequest {
  return request({ host: '127.0.0.1', port, path, agent: false, headers: { Host: `${site}.localhost:${port}` } }).end();
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await stream.toArray());
}

async function connectTo(port: number) {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}
