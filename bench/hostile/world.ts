import { Agent, request } from 'node:http';

/** What an attacker knows: a running server, its sites, and two credentials. */
export interface World {
  port: number;
  /** An API key of an account on the largest plan. */
  apiKey: string;
  /** A deploy token of the same account. */
  deployToken: string;
  /** The host of a public site. `lockedSite` is the host of a site with a password. */
  site: string;
  lockedSite: string;
}

export interface HostileRequest {
  path: string;
  /** The method. Default: GET, or POST with a body. */
  method?: string;
  /** The requested host. Default: the API host. */
  host?: string;
  /** The credential. Default: none. */
  key?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** A response. The status is `cut off` if the connection failed first. */
export interface HostileResponse {
  status: number | 'cut off';
  text: string;
}

/** Sends requests from one address of this machine. */
export interface Client {
  send(request: HostileRequest): Promise<HostileResponse>;
  /** Closes all connections. Requests without a response get the status `cut off`. */
  close(): void;
}

/**
 * Creates a client that sends all requests from one address. @param address A loopback address, such as `127.0.0.1`.
 */
export function createClient(port: number, address: string): Client {
  const agent = new Agent({ keepAlive: true, localAddress: address });
  const send = ({ path, body, host, key, headers = {}, ...rest }: HostileRequest) =>
    new Promise<HostileResponse>((resolve) => {
      const { method = body === undefined ? 'GET' : 'POST' } = rest;
      const cutOff = () => resolve({ status: 'cut off', text: '' });
      const req = request({
        host: '127.0.0.1',
        port,
        method,
        path,
        agent,
        headers: {
          Host: host ?? `localhost:${port}`,
          ...(typeof body === 'string' ? { 'Content-Type': 'application/json' } : {}),
          ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
          ...headers,
        },
      });
      req.on('error', cutOff).on('response', (res) => {
        let text = '';
        res.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        res.on('end', () => resolve({ status: res.statusCode!, text })).on('error', cutOff);
      });
      req.end(body);
    });
  return { send, close: () => agent.destroy() };
}
