import { type AdoptedAccount, exportAccount, importAccount } from '@berth/core/operator';
import { type Command, InvalidArgumentError } from 'commander';
import { parseEmail } from '../config/config-values.ts';
import { fingerprintOf, loadSecretKey } from '../config/secret-key.ts';
import { VERSION } from '../version.ts';
import { showProgress } from './backup.ts';
import { interruptible, readBackupFile, STANDARD_STREAM, writeBackupFile } from './backup-files.ts';
import {
  examples,
  findAccount,
  formatBytes,
  formatJson,
  JSON_OPTION,
  type JsonOption,
  type OpenSession,
} from './session.ts';

interface ImportOptions extends JsonOption {
  email?: string;
  plan?: string;
}

export function addTransfer(program: Command, open: OpenSession): void {
  program
    .command('export')
    .summary('Write an account to one file, to move it to another installation.')
    .description(
      'Write an account to one file, while servers are running: its sites and their files, domains, keys (as hashes), ' +
        'members and activities. "import" adds it to another installation of the same version.',
    )
    .argument('<account>', 'the id or e-mail address of the account')
    .argument('<file>', 'the file to write; - for standard output')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('export ada@example.com ada.tar'))
    .action(async (named: string, file: string, { json }: JsonOption) => {
      const session = await open();
      const { core, config, progress } = session;
      const account = await findAccount(core, named);
      const keyFingerprint = fingerprintOf(await loadSecretKey(config));
      const options = { berth: VERSION, keyFingerprint, onProgress: showProgress(progress) };
      const summary = await interruptible(session, (signal) =>
        writeBackupFile(file, signal, (sink) => exportAccount(core, account, sink, options)),
      );
      progress('');
      const print = file === STANDARD_STREAM ? session.note : session.print;
      const { deployments, domains, bytes } = summary;
      print(
        json
          ? formatJson({ file, ...summary })
          : `Wrote account ${account}: ${deployments} deployments, ${domains} domains, ${formatBytes(bytes)}.`,
      );
    });

  program
    .command('import')
    .summary('Add an account that another installation has exported.')
    .description(
      'Add an account that another installation has exported, while servers are running. Keys and site passwords keep ' +
        'working. Deployments whose id is in use get another one. Custom domains must be verified again.',
    )
    .argument('<file>', 'the exported account; - for standard input')
    .option('--email <email>', 'the e-mail address of the account here', emailOf)
    .option('--plan <plan>', 'the plan of the account here (default: that of the export, or DEFAULT_PLAN)')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('import ada.tar', 'import ada.tar --email ada@example.net --plan pro'))
    .action(async (file: string, { email, plan, json }: ImportOptions) => {
      const session = await open();
      const { core, config, print } = session;
      const plans = core.plans.all.map((each) => each.plan);
      if (plan !== undefined && !plans.includes(plan))
        throw new Error(`"${plan}" is not a plan; use one of ${plans.join(', ')}.`);
      const options = { email, plan, defaultPlan: config.defaultPlan.plan };
      const adopted = await interruptible(session, (signal) =>
        importAccount(core, readBackupFile(file, signal), options),
      );
      print(json ? formatJson(adopted) : describe(adopted));
    });
}

function describe({
  account,
  email,
  plan,
  deployments,
  domains,
  renamed,
  takenDomains,
  takenKeys,
}: AdoptedAccount): string {
  return [
    `Added account ${account} of ${email} on plan ${plan}: ${deployments} deployments, ${domains} domains.`,
    ...renamed.map(({ from, to }) => `The deployment ${from} is now ${to}, because the id is in use here.`),
    ...takenDomains.map((name) => `${name} was left out, because another account has it here.`),
    ...(takenKeys > 0 ? [`${takenKeys} keys were left out, because they exist here.`] : []),
    'Custom domains need the DNS records that this installation shows.',
  ].join('\n');
}

function emailOf(text: string): string {
  try {
    return parseEmail(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
