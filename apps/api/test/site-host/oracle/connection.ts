import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

/** An answer as received on the wire, without the parts that depend on the time and the connection. */
export interface Received {
  status: number;
  /** By lower-case name. A repeated header has its values joined by ` & `. */
  headers: Record<string, string>;
  body: Buffer;
}

export interface Connection {
  /** Sends requests one after the other over the one connection. */
  ask(method: string, host: string, target: string, fields: Record<string, string>): Promise<Received>;
  close(): void;
}

const OF_THE_MOMENT = new Set(['date', 'connection', 'keep-alive', 'x-request-id']);

/** A connection that is kept alive from the first request to the last. */
export function openConnection(port: number): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    async ask(method, host, target, fields) {
      const asking = request({
        agent,
        port,
        host: '127.0.0.1',
        method,
        path: target,
        headers: { Host: host, ...fields },
      });
      asking.end();
      const [answer] = (await once(asking, 'response')) as [IncomingMessage];
      const body: Buffer[] = [];
      for await (const chunk of answer) body.push(chunk as Buffer);
      return { status: answer.statusCode!, headers: headersOf(answer), body: Buffer.concat(body) };
    },
    close: () => agent.destroy(),
  };
}

function headersOf({ rawHeaders }: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    const value = rawHeaders[index + 1]!;
    if (!OF_THE_MOMENT.has(name)) headers[name] = name in headers ? `${headers[name]} & ${value}` : value;
  }
  return headers;
}
