import { Agent, request } from 'node:http';

/** What an attacker knows: a running server, its sites, and two credentials. */
export interface World {
  port: number;
  /** An API key of an account on the largest plan. */
  apiKey: string;
  /** A deploy token of the same account. */
  deployToken: string;
  /** The host of a public site, and that of a site with a password. */
  site: string;
  lockedSite: string;
}

export interface HostileRequest {
  path: string;
  /** Default: GET, or POST with a body. */
  method?: string;
  /** Default: the API. */
  host?: string;
  /** The credential. Default: none. */
  key?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** An answer; its status is `cut off` when the connection ended first. */
export interface Answer {
  status: number | 'cut off';
  text: string;
}

/** Sends requests from one address of this machine. */
export interface Client {
  send(request: HostileRequest): Promise<Answer>;
  /** Closes all connections: requests without an answer end as `cut off`. */
  close(): void;
}

/** @param address The loopback address from which the requests come, such as `127.0.0.1`. */
export function createClient(port: number, address: string): Client {
  const agent = new Agent({ keepAlive: true, localAddress: address });
  const send = ({ path, body, host, key, headers = {}, ...rest }: HostileRequest) =>
    new Promise<Answer>((resolve) => {
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
