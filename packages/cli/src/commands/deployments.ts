import { bytes, moment } from '@berth/client/amounts';
import type { Deployment } from '@berth/contract';
import { columns, UsageError } from '@berth/terminal';
import type { Command } from 'commander';
import { parseSite, parseTtl } from '../values.ts';
import { inSession, type CommandContext, verbAdder, withExamples } from './define.ts';
import { fullDomain } from './domains.ts';
import { addList } from './list.ts';
import { readPassword } from './publication.ts';

interface UpdateOptions {
  password?: string | false;
  ttl?: number | false;
}

/** A deployment of any server. Older servers do not send `domains`. */
type ReceivedDeployment = Omit<Deployment, 'domains'> & Partial<Pick<Deployment, 'domains'>>;

const ARGUMENT = ['<deployment>', 'the id or address of the deployment'] as const;
const EXAMPLE = 'calm-otter-4k9x2qd';

export function addDeployments(program: Command, context: CommandContext): void {
  const deployments = withExamples(program.command('deployments'), {
    'berth deployments': 'lists the newest deployments',
    'berth deployments --label preview': 'lists the newest deployments with the label',
    'berth deployments label calm-otter-4k9x2qd v1.2': 'replaces the labels of the deployment',
    'berth deployments update calm-otter-4k9x2qd --password -': 'asks for a new password for visitors',
    'berth deployments update calm-otter-4k9x2qd --ttl 7d': 'lets the deployment expire in a week',
    'berth deployments delete calm-otter-4k9x2qd': 'deletes the deployment',
  })
    .summary('list, show, change and delete deployments')
    .description('List and change deployments.');

  addList(deployments, context, {
    name: 'deployments',
    read: (client, query) => client.api.deployments.list.query(query),
    description: 'List deployments, newest first.',
    heading: ['deployment', 'files', 'size', 'created', 'expires', 'access', 'domains', 'labels', 'url'],
    toCells,
    lessImportant: ['url', 'files', 'size', 'labels', 'expires', 'access', 'domains'],
    toJson: deploymentRow,
    emptyNote: 'There are no deployments yet.',
    filters: {
      flags: {
        '--label <label>': 'list only deployments with this label',
        '--domain <domain>': 'list only the deployment that this domain points at',
      },
      toQuery: async (client, { label, domain }) => ({
        ...(label !== undefined && { label }),
        ...(domain !== undefined && { domain: await fullDomain(client, domain) }),
      }),
    },
  });

  const addVerb = verbAdder(deployments, context, [...ARGUMENT, EXAMPLE], (_, site) => parseSite(site));

  addVerb('get', 'Show a deployment.', async ({ client, printResult }, deployment) => {
    const foundDeployment = await client.api.deployments.get.query({ deployment });
    printResult({ deployment: deploymentRow(foundDeployment) }, () => describeDeployment(foundDeployment));
  });

  withExamples(deployments.command('label'), { [`berth deployments label ${EXAMPLE} v1.2 stable`]: '' })
    .description('Replace the labels of a deployment. Without labels, remove all labels.')
    .argument(...ARGUMENT)
    .argument('[labels...]', 'the new labels')
    .action(
      inSession<[string, string[]]>(context, async ({ client, printResult }, [site, labels]) => {
        const changedDeployment = await client.api.deployments.update.mutate({ deployment: parseSite(site), labels });
        printResult({ deployment: deploymentRow(changedDeployment) }, () => describeDeployment(changedDeployment));
      }),
    );

  withExamples(deployments.command('update'), {
    [`berth deployments update ${EXAMPLE} --password -`]: 'asks for a new password',
    [`berth deployments update ${EXAMPLE} --no-ttl`]: 'makes it permanent',
  })
    .description('Change the password or the time to live. Everything else stays the same.')
    .argument(...ARGUMENT)
    .option('-p, --password <password>', 'the new password for visitors; "-" asks for it')
    .option('--no-password', 'remove the password')
    .option('-t, --ttl <time>', 'when the deployment expires, from now on, such as 7d', parseTtl)
    .option('--no-ttl', 'make the deployment permanent')
    .action(
      inSession<[string], UpdateOptions>(context, async (session, [site], { password, ttl }) => {
        if (password === undefined && ttl === undefined)
          throw new UsageError('Give at least one of --password, --no-password, --ttl and --no-ttl');
        const changedDeployment = await session.client.api.deployments.update.mutate({
          deployment: parseSite(site),
          ...(password !== undefined && { password: await readPassword(session, password) }),
          ...(ttl !== undefined && { ttl: ttl === false ? null : ttl }),
        });
        session.printResult({ deployment: deploymentRow(changedDeployment) }, () =>
          describeDeployment(changedDeployment),
        );
      }),
    );

  addVerb(
    'delete',
    'Delete a deployment. This removes the site immediately and cannot be undone.',
    async ({ client, printResult, confirm }, deployment) => {
      await confirm(`Delete ${deployment}? The site is gone immediately, and cannot be restored.`);
      const deletedDeployment = await client.api.deployments.delete.mutate({ deployment });
      printResult(deletedDeployment, () => [`Deleted ${deletedDeployment.deployment}.`]);
    },
  );
}

/** Converts a deployment to the stable shape of `--json`: fields that the API omits are null. */
export function deploymentRow(found: ReceivedDeployment) {
  const { deployment, url, files, size, status, password, via, labels, created, expires = null } = found;
  const { domains = [], takenDown = null } = found;
  return { deployment, url, files, size, status, password, via, labels, created, expires, domains, takenDown };
}

function toCells(found: ReceivedDeployment): string[] {
  const { deployment, files, size, created, expires, labels, url, domains = [] } = found;
  const [firstDomain = '-', ...otherDomains] = domains;
  return [
    deployment,
    files.toLocaleString('en-US'),
    bytes(size),
    moment(created),
    moment(expires ?? null),
    accessText(found),
    otherDomains.length === 0 ? firstDomain : `${firstDomain} +${otherDomains.length}`,
    labels.join(' ') || '-',
    url,
  ];
}

/** Describes why visitors may not see a deployment; `-` for a public deployment. */
function accessText({ takenDown, password }: ReceivedDeployment): string {
  if (takenDown) return 'taken down';
  return password ? 'password' : '-';
}

function describeDeployment(found: ReceivedDeployment): string[] {
  const { url, files, size, password, via, labels, created, expires, domains = [], takenDown } = found;
  return columns([
    ['url', url],
    ['files', files.toLocaleString('en-US')],
    ['size', bytes(size)],
    ['password', password ? 'yes' : 'no'],
    ['labels', labels.join(' ') || '-'],
    ['via', via],
    ['created', moment(created)],
    ['expires', moment(expires ?? null)],
    ['domains', domains.join(' ') || '-'],
    ...(takenDown ? [['taken down', `${moment(takenDown.since)}: ${takenDown.reason ?? 'no reason given'}`]] : []),
  ]);
}
