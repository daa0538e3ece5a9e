import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

/** An answer as received on the wire, without the parts that depend on the time and the connection. */
export interface Received {
  status: number;
  /** By lower-case name, in the order of arrival. A repeated header has its values joined by ` & `. */
  headers: Record<string, string>;
  body: Buffer;
}

export type Connection = ReturnType<typeof openConnection>;

const OF_THE_MOMENT = new Set(['date', 'connection', 'keep-alive', 'x-request-id']);

/** A connection that is kept alive from the first request to the last. */
export function openConnection(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    /** Sends requests one after the other over the one connection. */
    async ask(method: string, host: string, path: string, fields: Record<string, string>): Promise<Received> {
      const headers = { Host: host, ...fields };
      const asking = request({ agent, port, host: '127.0.0.1', method, path, headers }).end();
      const [answer] = (await once(asking, 'response')) as [IncomingMessage];
      const received = Object.entries(answer.headersDistinct).filter(([name]) => !OF_THE_MOMENT.has(name));
      return {
        status: answer.statusCode!,
        headers: Object.fromEntries(received.map(([name, values]) => [name, values!.join(' & ')])),
        body: Buffer.concat(await answer.toArray()),
      };
    },
    close: () => agent.destroy(),
  };
}
