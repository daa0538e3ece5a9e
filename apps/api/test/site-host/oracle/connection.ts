import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

/** A response as received, without the headers that depend on the time and the connection. */
export interface ReceivedResponse {
  status: number;
  /** The headers by lower-case name, in the order of arrival. The values of a repeated header are joined by ` & `. */
  headers: Record<string, string>;
  body: Buffer;
}

export type Connection = ReturnType<typeof openConnection>;

const UNSTABLE_HEADERS = new Set(['date', 'connection', 'keep-alive', 'x-request-id']);

/** Opens a connection that is kept alive from the first request to the last. */
export function openConnection(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    /** Sends a request after the previous one has its response. */
    async send(method: string, host: string, path: string, fields: Record<string, string>): Promise<ReceivedResponse> {
      const headers = { Host: host, ...fields };
      const clientRequest = request({ agent, port, host: '127.0.0.1', method, path, headers }).end();
      const [response] = (await once(clientRequest, 'response')) as [IncomingMessage];
      const stableHeaders = Object.entries(response.headersDistinct).filter(([name]) => !UNSTABLE_HEADERS.has(name));
      return {
        status: response.statusCode!,
        headers: Object.fromEntries(stableHeaders.map(([name, values]) => [name, values!.join(' & ')])),
        body: Buffer.concat(await response.toArray()),
      };
    },
    close: () => agent.destroy(),
  };
}
