/** Where PostgreSQL is reached: a URL, or a server on a Unix socket. */
export type DatabaseAddress = { url: string } | { socketDir: string; user: string; database: string };
