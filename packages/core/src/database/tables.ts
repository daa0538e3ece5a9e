import type { EntityManager, EntitySchemaWithMeta, InferKyselyDB } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import type * as entities from '../entities/index.ts';

type Schemas = Extract<(typeof entities)[keyof typeof entities], EntitySchemaWithMeta>;

/** The tables with the types of their columns, inferred from the entities. */
export interface Tables extends InferKyselyDB<Schemas> {}

/** Builds statements and checks their tables and columns against the entities. */
export type QueryBuilder = Kysely<Tables>;

/** Where statements run: in the transaction of an entity manager, or outside of one in the database of a core. */
export type StatementScope = EntityManager | { readonly database: { readonly kysely: QueryBuilder } };

/** Returns the query builder of a transaction, or of a core for statements outside of a transaction. */
export function db(scope: StatementScope): QueryBuilder {
  return 'database' in scope ? scope.database.kysely : scope.getKysely<Tables>();
}
