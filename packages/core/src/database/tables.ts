import type { EntityManager, EntitySchemaWithMeta, InferKyselyDB } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import type * as entities from '../entities/index.ts';

type Schemas = Extract<(typeof entities)[keyof typeof entities], EntitySchemaWithMeta>;

/** The types of the columns of each table, inferred from the entities. */
export interface Tables extends InferKyselyDB<Schemas> {}

/** The query builder, whose types check tables and columns against the entities. */
export type QueryBuilder = Kysely<Tables>;

/** The scope of statements: the transaction of an entity manager, or the database of a core without a transaction. */
export type StatementScope = EntityManager | { readonly database: { readonly kysely: QueryBuilder } };

/** Returns the query builder for a scope. */
export function db(scope: StatementScope): QueryBuilder {
  return 'database' in scope ? scope.database.kysely : scope.getKysely<Tables>();
}
