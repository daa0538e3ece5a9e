import { bytes, moment } from '@berth/client/amounts';
import type { Deployment } from '@berth/contract';
import { columns } from '@berth/terminal';
import type { Command } from 'commander';
import { parseSite } from '../values.ts';
import { examples, inSession, type CommandContext } from './define.ts';
import { addList } from './list.ts';

/** Adds `berth deployments`: lists and changes deployments. */
export function addDeployments(program: Command, context: CommandContext): void {
  const deployments = program
    .command('deployments')
    .summary('list, show, label and delete deployments')
    .description('List and change deployments.')
    .addHelpText(
      'after',
      examples(
        ['berth deployments', 'lists the newest deployments'],
        ['berth deployments label calm-otter-4k9x2qd v1.2', 'replaces its labels'],
        ['berth deployments delete calm-otter-4k9x2qd', 'deletes the site'],
      ),
    );

  addList(deployments, context, {
    name: 'deployments',
    read: (client, query) => client.api.deployments.list.query(query),
    description: 'List deployments, newest first.',
    heading: ['deployment', 'files', 'size', 'created', 'expires', 'labels', 'url'],
    toCells,
    toJson: deploymentRow,
    emptyNote: 'There are no deployments yet.',
  });

  deployments
    .command('get')
    .description('Show a deployment.')
    .argument('<deployment>', 'its id or address')
    .action(
      inSession<[string]>(context, async ({ client, printResult }, [site]) => {
        const found = await client.api.deployments.get.query({ deployment: parseSite(site) });
        printResult({ deployment: deploymentRow(found) }, () => describeDeployment(found));
      }),
    );

  deployments
    .command('label')
    .description('Replace the labels of a deployment. Without arguments, remove all labels.')
    .argument('<deployment>', 'its id or address')
    .argument('[labels...]', 'the new labels')
    .action(
      inSession<[string, string[]]>(context, async ({ client, printResult }, [site, labels]) => {
        const changed = await client.api.deployments.update.mutate({ deployment: parseSite(site), labels });
        printResult({ deployment: deploymentRow(changed) }, () => describeDeployment(changed));
      }),
    );

  deployments
    .command('delete')
    .description('Delete a deployment. This removes the site immediately and cannot be undone.')
    .argument('<deployment>', 'its id or address')
    .action(
      inSession<[string]>(context, async ({ client, printResult }, [site]) => {
        const deleted = await client.api.deployments.delete.mutate({ deployment: parseSite(site) });
        printResult(deleted, () => [`Deleted ${deleted.deployment}.`]);
      }),
    );
}

/** A deployment in the stable shape of `--json`: fields that the API omits are null. */
export function deploymentRow({
  deployment,
  url,
  files,
  size,
  status,
  password,
  via,
  labels,
  created,
  expires,
}: Deployment) {
  return { deployment, url, files, size, status, password, via, labels, created, expires: expires ?? null };
}

function toCells({ deployment, files, size, created, expires, labels, url }: Deployment): string[] {
  const number = files.toLocaleString('en-US');
  return [deployment, number, bytes(size), moment(created), moment(expires ?? null), labels.join(' ') || '-', url];
}

function describeDeployment({ url, files, size, password, via, labels, created, expires }: Deployment): string[] {
  return columns([
    ['url', url],
    ['files', files.toLocaleString('en-US')],
    ['size', bytes(size)],
    ['password', password ? 'yes' : 'no'],
    ['labels', labels.join(' ') || '-'],
    ['via', via],
    ['created', moment(created)],
    ['expires', moment(expires ?? null)],
  ]);
}
