import { PostgreSqlConnection, PostgreSqlDriver } from '@mikro-orm/postgresql';
import type { DatabaseConnection, Driver, PostgresDialect } from 'kysely';
import { type PoolConfig, types as pgTypes, type TypeOverrides } from 'pg';

/**
 * The ORM's driver without a leak: kysely does not return a session to the pool if BEGIN or ROLLBACK fails, which happens when
 * PostgreSQL ends sessions. A pool that loses all its sessions in this way can no longer run any statement.
 *
 * Source: https://github.com/kysely-org/kysely/issues/1990; security F12.
 */
export class SessionReturningDriver extends PostgreSqlDriver {
  protected override readonly connection = new Connection(this.config);
}

class Connection extends PostgreSqlConnection {
  override createKyselyDialect(overrides: Parameters<PostgreSqlConnection['createKyselyDialect']>[0]): PostgresDialect {
    const dialect = super.createKyselyDialect(overrides);
    const createDriver = dialect.createDriver.bind(dialect);
    dialect.createDriver = () => returnSessions(createDriver());
    return dialect;
  }

  /** The driver reads `bigint` and `timestamptz` as strings. The entities, and so the types of the columns, have numbers and dates. */
  override mapOptions(overrides: PoolConfig): PoolConfig {
    const options = super.mapOptions(overrides);
    const types = options.types as TypeOverrides;
    types.setTypeParser(pgTypes.builtins.INT8, Number);
    types.setTypeParser(pgTypes.builtins.TIMESTAMPTZ, (text) => new Date(text));
    return options;
  }
}

function returnSessions(driver: Driver): Driver {
  const begin = driver.beginTransaction.bind(driver);
  const rollBack = driver.rollbackTransaction.bind(driver);
  const orReturn = (session: DatabaseConnection, step: Promise<void>) =>
    step.catch(async (error: unknown) => {
      await driver.releaseConnection(session);
      throw error;
    });
  driver.beginTransaction = (session, settings) => orReturn(session, begin(session, settings));
  driver.rollbackTransaction = (session) => orReturn(session, rollBack(session));
  return driver;
}
