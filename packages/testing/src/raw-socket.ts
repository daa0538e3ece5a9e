import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** A response as received on the wire. */
export interface RawResponse {
  status: number;
  /** The headers by lower-case name. Values of a repeated name are joined by `, `. */
  headers: Record<string, string>;
  /** The names of the headers as sent, including repetitions. */
  names: string[];
  body: string;
}

/** Makes a server listen on a free port of 127.0.0.1. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Stops a server and closes every connection to it. */
export async function stop(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  if (server.listening) await once(server, 'close');
}

/** Opens a connection. `received` resolves with all received bytes after the connection is closed or reset. */
export async function open(
  port: number,
  { allowHalfOpen = false } = {},
): Promise<{ socket: Socket; received: Promise<string> }> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString('latin1'))).on('error', () => {});
  const receivedText = new Promise<string>((resolve) => void socket.once('close', () => resolve(text)));
  await once(socket, 'connect');
  return { socket, received: receivedText };
}

/** Sends all bytes before reading. Such a client loses the response if the server closes the connection too early. */
export async function sendWithoutReading(
  { socket, received }: Awaited<ReturnType<typeof open>>,
  bytes: string,
): Promise<string> {
  socket.pause();
  await new Promise((written) => void socket.write(bytes, 'latin1', written));
  socket.resume();
  return received;
}

/** Sends bytes, leaves the connection open, and returns everything received until the server closes it. */
export async function send(port: number, bytes: string | Buffer): Promise<string> {
  const { socket, received } = await open(port);
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  return received;
}

/** Sends one request with `Connection: close` and parses the response. */
export async function rawRequest(
  port: number,
  requestLine: string,
  headers: string[] = ['Host: localhost'],
  body = '',
): Promise<RawResponse> {
  return parse(await send(port, `${[requestLine, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`));
}

/** Parses a text that is one response. */
export function parse(text: string): RawResponse {
  const headEnd = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, headEnd).split('\r\n');
  const headers: Record<string, string> = {};
  const names: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).trim();
    names.push(name);
    headers[name.toLowerCase()] = name.toLowerCase() in headers ? `${headers[name.toLowerCase()]}, ${value}` : value;
  }
  return { status: Number(statusLine.split(' ')[1]), headers, names, body: text.slice(headEnd + 4) };
}
