import type { ClientConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';

/** Where PostgreSQL is reached: a URL, or a server on a Unix socket. */
export type DatabaseAddress = { url: string } | { socketDir: string; user: string; database: string };

/** How long a transaction waits for a lock before it gives way. Source: security §5. */
const LOCK_TIMEOUT_MS = 8_000;
const OPTIONS = `-c lock_timeout=${LOCK_TIMEOUT_MS} -c timezone=UTC`;
/** How long a new connection may take, TLS and sign-in included. */
const CONNECT_TIMEOUT_MS = 2_000;

/**
 * How every connection to a database is made: all that its URL says counts, such as TLS (`sslmode`, `sslrootcert`), a socket
 * (`host=/run/postgresql`), `options` and `application_name`.
 *
 * @throws Error when the URL cannot be read, or names a certificate that cannot be.
 */
export function connectionConfig(address: DatabaseAddress): ClientConfig {
  const given: ClientConfig =
    'url' in address
      ? parseIntoClientConfig(withClearTlsMode(address.url))
      : {
          host: address.socketDir,
          port: 5432,
          user: address.user,
          password: '',
          ssl: false,
          database: address.database,
        };
  return {
    ...given,
    options: [given.options, OPTIONS].filter(Boolean).join(' '),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  };
}

/**
 * Spells out what the modes of TLS mean to `pg`, which otherwise prints a warning: unless `uselibpqcompat` is set, each of them
 * verifies the server's certificate and name.
 */
function withClearTlsMode(url: string): string {
  if (/[?&]uselibpqcompat=true(?:&|$)/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full');
}
