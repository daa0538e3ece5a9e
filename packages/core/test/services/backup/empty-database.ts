import { randomBytes } from 'node:crypto';
import { createTestDatabase } from '@berth/testing/database';
import pg from 'pg';
import { type Database, openDatabase } from '../../../src/database/database.ts';

/** Creates a database without tables. */
export async function createEmptyDatabase(): Promise<{
  database: Database;
  query(text: string): Promise<object[]>;
  close(): Promise<void>;
}> {
  const host = await createTestDatabase();
  const name = `empty_${randomBytes(6).toString('hex')}`;
  await host.query(`create database ${name} template template0`);
  const address = { ...host.address, database: name };
  const database = openDatabase(address);
  const pool = new pg.Pool({ host: address.socketDir, port: 5432, user: address.user, database: name, max: 1 });
  pool.on('error', () => {});
  return {
    database,
    query: async (text) => (await pool.query(text)).rows as object[],
    async close() {
      await database.close();
      await pool.end();
      await host.query(`drop database ${name} with (force)`);
      await host.drop();
    },
  };
}
