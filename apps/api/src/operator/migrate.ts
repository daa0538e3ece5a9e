import type { Command } from 'commander';
import { requireNoRestore } from '../service/restore-marker.ts';
import { examples, formatJson, JSON_OPTION, type JsonOption, type OpenSession } from './session.ts';

export function addMigrate(program: Command, open: OpenSession): void {
  program
    .command('migrate')
    .summary('Migrate the database now, or check whether it needs to be.')
    .description(
      'Migrate the database to the schema of this version. A server does so at every start; this command is for deployments ' +
        'that migrate in a separate step. Safe to use while servers of this version or the one before are running.',
    )
    .option('--check', 'migrate nothing; exit with 1 if there are pending migrations')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('migrate', 'migrate --check'))
    .action(async ({ check = false, json }: JsonOption & { check?: boolean }) => {
      const { core, config, print, fail } = await open({ migrate: false });
      const { database } = core;
      const { pending } = await database.schema();
      if (check) {
        if (pending.length > 0) fail();
        return print(json ? formatJson({ pending }) : formatPending(pending));
      }
      await requireNoRestore(config.dataDir, database);
      const applied = await database.migrate();
      const { installed } = await database.schema();
      if (json) return print(formatJson({ schema: installed, applied }));
      for (const { name, durationMs } of applied) print(`Applied ${name} in ${durationMs} ms.`);
      print(`The database has schema ${installed}.`);
    });
}

function formatPending(pending: readonly string[]): string {
  return pending.length === 0 ? 'No migrations are pending.' : `Pending: ${pending.join(', ')}.`;
}
