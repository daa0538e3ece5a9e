import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import busboy from 'busboy';

/** The upper bound: the same parser reads the same body and discards every byte. */
const server = createServer((req, res) => {
  const parser = busboy({
    headers: req.headers,
    preservePath: true,
    defParamCharset: 'utf8',
    limits: { fieldSize: 64 * 1024 ** 2 },
  });
  parser.on('file', (_name, stream) => stream.resume()).on('close', () => res.writeHead(201).end('{}'));
  req.pipe(parser);
});
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
