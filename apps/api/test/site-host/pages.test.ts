import type { Server } from 'node:http';
import { ask, listen, stop } from '@berth/testing/raw-socket';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpServer } from '../../src/http/server.ts';
import { type PageName, sendPage } from '../../src/site-host/pages.ts';
import { expectPage } from '../pages/expect-page.ts';

const statuses: Record<PageName, number> = {
  'unknown-address': 404,
  'unknown-page': 404,
  'no-front-page': 404,
  paused: 503,
  'taken-down': 451,
  'needs-https': 401,
  malformed: 400,
  fault: 500,
  away: 503,
};

describe('built-in pages', () => {
  let server: Server;
  let port: number;
  beforeAll(async () => {
    server = createHttpServer(
      (req, res) => {
        sendPage(res, req.url!.slice(1) as PageName);
      },
      { log: { info() {}, warn() {}, error() {} } },
    );
    port = await listen(server);
  });
  afterAll(() => stop(server));

  it.each(Object.entries(statuses))('%s is %d, with the headers of security §7', async (name, status) => {
    const answer = await ask(port, `GET /${name} HTTP/1.1`);
    expect(answer.status).toBe(status);
    expectPage(answer.headers, answer.body, "'none'");
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-length': String(Buffer.byteLength(answer.body, 'latin1')),
    });
  });

  it.each(Object.keys(statuses))('%s has the same headers and no body for HEAD', async (name) => {
    const [get, head] = [await ask(port, `GET /${name} HTTP/1.1`), await ask(port, `HEAD /${name} HTTP/1.1`)];
    expect(head.body).toBe('');
    expect({ ...head, body: '', headers: { ...head.headers, 'x-request-id': '', date: '' } }).toMatchObject({
      status: get.status,
      names: get.names,
      headers: { 'content-length': get.headers['content-length'] },
    });
  });

  it.each(['fault', 'away'])('%s shows the request id', async (name) => {
    const { body, headers } = await ask(port, `GET /${name} HTTP/1.1`);
    expect(body).toContain(`<code>${headers['x-request-id']}</code>`);
  });
});
