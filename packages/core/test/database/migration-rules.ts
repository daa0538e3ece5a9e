import { parse } from 'libpg-query';
import type { MigrationClass } from '../../src/database/migrations/index.ts';
import { type Step, stepOf } from '../../src/database/schema-state.ts';

/** The schema of the newest release. Every later schema must work with the programs of that release. */
export const RELEASED_SCHEMA = 9;
/** The largest `compatibleSince` of the released migrations. A migration that removes something must declare a larger one. */
const RELEASED_COMPATIBILITY = 5;
/** Tables that have few rows in every installation. */
const SMALL_TABLES: ReadonlySet<string> = new Set(['migration', 'boot']);

const IN_ONE_RELEASE =
  'Programs of the last release still use it. Stop using it in one release; remove it in the next one, in a migration whose ' +
  '`compatibleSince` is the schema of a release that no longer uses it';
const CONCURRENTLY =
  'It blocks every write to the table. Use a migration whose `isTransactional` returns false, with "create index concurrently if not ' +
  'exists" or "drop index concurrently if exists", and nothing else';
const BACKFILL =
  'It locks all rows of the table. Let the program treat null as the old value, or fill the rows in a job, in batches';
const REWRITE =
  'It rewrites the table while nothing can read it. Add another column, fill it in a job, and switch to it';
const NOT_VALID =
  'It reads the whole table under a lock. Add the constraint "not valid", and validate it in another migration';
const UNKNOWN = 'It is not known to be fast on a large table. Check its lock, then add it to migration-rules.ts';

type Node = Readonly<Record<string, unknown>>;

/** Returns why a migration could stop or break the programs that run meanwhile, with advice. Empty for a good migration. */
export async function faultsOf(migrationClass: MigrationClass): Promise<string[]> {
  // Without a driver, a migration can only add SQL.
  const step = stepOf(migrationClass, { driver: null!, config: null! });
  const context: Context = { ...step, newTables: new Set() };
  const faults = declarationFaults(step);
  for (const sql of step.statements) {
    for (const { stmt } of (await parse(sql)).stmts as { stmt: Node }[]) {
      const [kind, statement] = Object.entries(stmt)[0] as [string, Node];
      if (kind === 'CreateStmt') context.newTables.add(tableOf(statement)!);
      for (const advice of judge(kind, statement, context)) faults.push(`${sql.trim()}: ${advice}.`);
    }
  }
  return faults;
}

interface Context extends Step {
  /** The tables that this migration has created. Statements on them disturb no program. */
  newTables: Set<string>;
}

function declarationFaults({ name, number, compatibleSince }: Step): string[] {
  const faults: string[] = [];
  if (Number.parseInt(name, 10) !== number)
    faults.push(`${name}: its name must begin with ${String(number).padStart(4, '0')}-.`);
  if (compatibleSince > RELEASED_SCHEMA)
    faults.push(
      `${name}: it must declare a \`compatibleSince\` of at most ${RELEASED_SCHEMA}, the schema of the last release, whose ` +
        'programs run beside this one during an upgrade.',
    );
  return faults;
}

function judge(kind: string, statement: Node, context: Context): string[] {
  const table = tableOf(statement);
  if (table !== null && context.newTables.has(table)) return [];
  const isConcurrent = !context.isTransactional && statement['concurrent'] === true;
  switch (kind) {
    case 'IndexStmt':
      return isConcurrent && statement['if_not_exists'] === true ? [] : [CONCURRENTLY];
    case 'DropStmt':
      return judgeDrop(statement, isConcurrent, context);
  }
  if (!context.isTransactional)
    return ['Outside of a transaction it may run twice or half. Move it to a migration of its own'];
  switch (kind) {
    case 'AlterTableStmt':
      return (statement['cmds'] as Node[]).flatMap((command) => judgeChange(command['AlterTableCmd'] as Node, context));
    case 'CreateStmt':
    case 'CreateFunctionStmt':
    case 'CreateTrigStmt':
    case 'CommentStmt':
      return [];
    case 'RenameStmt':
      return [
        'Programs of the last release use the old name. Add the new name beside it, write both, and remove the old one later',
      ];
    case 'UpdateStmt':
    case 'DeleteStmt':
      return SMALL_TABLES.has(table ?? '') ? [] : [BACKFILL];
    case 'LockStmt':
      return ['It stops all programs until the migration ends. Use statements that do not need it'];
    default:
      return [UNKNOWN];
  }
}

function judgeDrop(statement: Node, isConcurrent: boolean, context: Context): string[] {
  switch (statement['removeType']) {
    case 'OBJECT_INDEX':
      return isConcurrent && statement['missing_ok'] === true ? [] : [CONCURRENTLY];
    case 'OBJECT_TRIGGER':
    case 'OBJECT_FUNCTION':
      return [];
    default:
      return judgeRemoval(context);
  }
}

/** A removal is allowed if the migration declares that the programs of an earlier release do not use what it removes. */
function judgeRemoval({ compatibleSince }: Context): string[] {
  return compatibleSince > RELEASED_COMPATIBILITY ? [] : [IN_ONE_RELEASE];
}

function judgeChange(command: Node, context: Context): string[] {
  const { ColumnDef: column, Constraint: constraint } = (command['def'] ?? {}) as Record<string, Node | undefined>;
  switch (command['subtype']) {
    case 'AT_AddColumn':
      return judgeColumn(column!);
    case 'AT_AddConstraint':
      return constraint!['skip_validation'] === true || constraint!['indexname'] !== undefined ? [] : [NOT_VALID];
    case 'AT_DropColumn':
      return judgeRemoval(context);
    case 'AT_AlterColumnType':
      return [REWRITE];
    case 'AT_SetNotNull':
      return [
        'It reads the whole table under a lock. Add "check (… is not null) not valid", and validate it in another migration',
      ];
    case 'AT_ValidateConstraint':
    case 'AT_DropConstraint':
    case 'AT_DropNotNull':
    case 'AT_ColumnDefault':
    case 'AT_SetStatistics':
    case 'AT_SetStorage':
    case 'AT_SetRelOptions':
    case 'AT_ResetRelOptions':
      return [];
    default:
      return [UNKNOWN];
  }
}

function judgeColumn(column: Node): string[] {
  const constraints = ((column['constraints'] ?? []) as Node[]).map((each) => each['Constraint'] as Node);
  const types = constraints.map((constraint) => constraint['contype']);
  const defaultValue = constraints.find((constraint) => constraint['contype'] === 'CONSTR_DEFAULT')?.['raw_expr'];
  if (types.some((type) => type === 'CONSTR_GENERATED' || type === 'CONSTR_IDENTITY')) return [REWRITE];
  if (JSON.stringify(column['typeName']).includes('serial"')) return [REWRITE];
  if (defaultValue !== undefined && !isStable(defaultValue as Node)) return [REWRITE];
  if (types.some((type) => type === 'CONSTR_UNIQUE' || type === 'CONSTR_PRIMARY')) return [CONCURRENTLY];
  if (types.some((type) => type === 'CONSTR_FOREIGN' || type === 'CONSTR_CHECK')) return [NOT_VALID];
  if (types.includes('CONSTR_NOTNULL') && defaultValue === undefined)
    return [
      'It fails on a table with rows, and programs of the last release insert none. Give it a default, or allow null',
    ];
  return [];
}

/** Whether PostgreSQL evaluates a default once, instead of for every row. */
function isStable(expression: Node): boolean {
  const [kind, value] = Object.entries(expression)[0] as [string, Node];
  if (kind === 'TypeCast') return isStable(value['arg'] as Node);
  if (kind === 'FuncCall') return JSON.stringify(value['funcname']) === '[{"String":{"sval":"now"}}]';
  return kind === 'A_Const' || kind === 'SQLValueFunction';
}

function tableOf(statement: Node): string | null {
  return ((statement['relation'] as Node | undefined)?.['relname'] as string | undefined) ?? null;
}
