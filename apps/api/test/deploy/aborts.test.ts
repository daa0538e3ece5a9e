import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../test-server.ts';
import { deployHead, file, type Form, multipart, withChecksums } from '../multipart.ts';
import { footprintOf } from '../standing-asserts.ts';

let server: TestServer;
beforeAll(async () => void (server = await startTestServer()));
afterAll(() => server.close());

const idle = async () => {
  const end = Date.now() + 1500;
  while (server.berth.core.activePacks.size > 0 && Date.now() < end) await new Promise((r) => setTimeout(r, 5));
  return server.berth.core.activePacks.size;
};

async function cut(form: Form, share: number, how: 'fin' | 'reset', headers = { Authorization: 'Bearer ship-00000000000000000000000000000001' }) {
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  const head = deployHead(server.port, form, headers);
  await new Promise<void>((r) => socket.write(Buffer.concat([Buffer.from(head), form.body.subarray(0, Math.floor(share * form.body.length))]), () => r()));
  if (how === 'fin') socket.destroy(); else socket.resetAndDestroy();
  await once(socket, 'close');
}

const small = multipart(withChecksums([file('index.html', 'hello')]));
const big = multipart(withChecksums([file('index.html', 'hello'), file('b.bin', Buffer.alloc(6_000_000, 7))]));
describe.each([['small', small], ['big', big]] as const)('%s', (_, form) => {
  describe.each(['fin', 'reset'] as const)('%s', (how) => {
    it.each([0, 0.01, 0.5, 0.99, 1])('%d', async (share) => {
      const before = await footprintOf(server);
      const n = Number((await server.database.query('select count(*) as n from deployment'))[0]!['n']);
      for (let i = 0; i < 20; i++) await cut(form, share, how);
      await new Promise((r) => setTimeout(r, 100));
      const left = await idle();
      const m = Number((await server.database.query('select count(*) as n from deployment'))[0]!['n']);
      console.log(_, how, share, 'hanging', left, 'made', m - n, JSON.stringify(await server.database.query('select state, count(*) from pack group by 1')));
      server.berth.core.activePacks.clear();
    }, 20000);
  });
});
