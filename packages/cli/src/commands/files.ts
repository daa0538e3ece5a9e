import { bytes } from '@berth/client/amounts';
import { table } from '@berth/terminal';
import type { Command } from 'commander';
import { parseLimit, parseSite } from '../values.ts';
import { inSession, type CommandContext, withExamples } from './define.ts';
import { MORE_ROWS_NOTE, readPages } from './list.ts';

const DEFAULT_ROWS = 100;

export function addFiles(program: Command, context: CommandContext): void {
  withExamples(program.command('files'), {
    'berth files calm-otter-4k9x2qd': 'lists the files of the deployment',
    'berth files calm-otter-4k9x2qd --limit all --json': 'sends every path, size and SHA-256 to a program',
  })
    .summary('list the files of a deployment')
    .description('List the files of a deployment, sorted by path.')
    .argument('<deployment>', 'the id or address of the deployment')
    .option('--limit <number>', 'how many files to list, or "all"', parseLimit, DEFAULT_ROWS)
    .action(
      inSession<[string], { limit: number }>(context, async ({ client, printResult, note }, [site], { limit }) => {
        const deployment = parseSite(site);
        const { rows, more } = await readPages(
          limit,
          (query) => client.api.deployments.files.query({ deployment, ...query }),
          (page) => page.files,
        );
        printResult({ files: rows.map(({ path, size, sha256 }) => ({ path, size, sha256 })), more }, () =>
          table(
            ['size', 'path'],
            rows.map(({ path, size }) => [bytes(size), path]),
          ),
        );
        if (more) note(MORE_ROWS_NOTE);
      }),
    );
}
