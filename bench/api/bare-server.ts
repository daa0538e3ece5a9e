import type { AddressInfo } from 'node:net';
import express from 'express';
import pg from 'pg';
import { endpoints } from './queries.ts';

/** The upper bound: Express runs one query and sends its rows as JSON, without credential, limit and schema. */
const [socketDir, user, database, account, deployment, token, domain] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];
const pool = new pg.Pool({ host: socketDir, port: 5432, user, database, max: 10 });
const app = express();
for (const { path, query, values } of endpoints(deployment, token, domain))
  app.get(path.split('?')[0]!, async (_req, res) => {
    const { rows } = await pool.query(query, [account, ...values]);
    res.json({ rows });
  });
const server = app.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
process.on('SIGTERM', () => server.close(() => void pool.end().then(() => process.exit(0))));
