import type { EntityManager } from '@mikro-orm/postgresql';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { Database } from './database.ts';
import type { Tables } from './tables.ts';

/**
 * Returns the database for work that may lose its right to run. Every transaction, and every statement of `kysely`, first checks
 * this right in its own transaction. Statements of `em()` and `prepared` are not checked; use them only to read.
 *
 * @param requireRight Rejects if the right has ended. It must keep the right until the transaction ends.
 */
export function fenceDatabase(database: Database, requireRight: (em: EntityManager) => Promise<void>): Database {
  const transaction: Database['transaction'] = (work) =>
    database.transaction(async (em) => {
      await requireRight(em);
      return work(em);
    });
  const kysely = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createDriver: () => new FencedDriver(transaction),
    },
  });
  return { ...database, transaction, kysely };
}

/** Runs each statement in a transaction of its own. */
class FencedDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(transaction: Database['transaction']) {
    this.#connection = {
      executeQuery: <R>(query: CompiledQuery) =>
        transaction((em) => em.getKysely().executeQuery<R>(query) as Promise<QueryResult<R>>),
      streamQuery: () => refuse('A fenced statement cannot be streamed.'),
    };
  }

  async init(): Promise<void> {}
  acquireConnection(): Promise<DatabaseConnection> {
    return Promise.resolve(this.#connection);
  }
  beginTransaction = refuseTransaction;
  commitTransaction = refuseTransaction;
  rollbackTransaction = refuseTransaction;
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

function refuseTransaction(): Promise<never> {
  return Promise.reject(new Error('Use Database.transaction.'));
}

function refuse(message: string): never {
  throw new Error(message);
}
