import type { ClientConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';

/** Where PostgreSQL is reached: a URL, or a server on a Unix socket. */
export type DatabaseAddress = { url: string } | { socketDir: string; user: string; database: string };

/** How long a statement waits for a lock before it fails. Source: storage §2. */
const LOCK_TIMEOUT_MS = 8_000;
const OPTIONS = `-c lock_timeout=${LOCK_TIMEOUT_MS} -c timezone=UTC`;
/** How long opening a connection may take, including TLS and authentication. */
const CONNECT_TIMEOUT_MS = 2_000;

/**
 * The configuration of every connection to a database. Everything in the URL applies, such as TLS (`sslmode`, `sslrootcert`), a
 * socket (`host=/run/postgresql`), `options` and `application_name`.
 *
 * @throws Error if the URL is invalid, or names a certificate that cannot be read.
 */
export function connectionConfig(address: DatabaseAddress): ClientConfig {
  const config: ClientConfig =
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
    ...config,
    options: [config.options, OPTIONS].filter(Boolean).join(' '),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  };
}

/**
 * Replaces the TLS modes that `pg` treats as `verify-full` by that name, because `pg` prints a warning for them. With
 * `uselibpqcompat` they have the meaning of libpq, so they stay.
 */
function withClearTlsMode(url: string): string {
  if (/[?&]uselibpqcompat=true(?:&|$)/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full');
}
