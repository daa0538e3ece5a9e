import { hash } from 'node:crypto';
import type { Config } from './config/config.ts';

const SAMPLE_PAGE = '<h1>It floats.</h1>';

/**
 * Formats the message that the operator sees once the server is up. It contains the owner's key, so it is printed
 * and never logged.
 *
 * @param ownerKey The owner's key, if this start has made it.
 * @param openLink How the owner signs in to the console: a one-time link, or the command that prints one; `null` if the owner
 *   has another way in. Source: api §8, §13; security T37.
 */
export function welcome(
  { baseUrl, publicScheme, platformDomain }: Pick<Config, 'baseUrl' | 'publicScheme' | 'platformDomain'>,
  { ownerKey, openLink }: { ownerKey: string | null; openLink: string | null },
): string {
  const api = baseUrl.origin;
  const lines = [
    '',
    '  Berth is up.',
    '',
    `    Console    ${api}`,
    `    API        ${api}`,
    `    Reference  ${api}/docs`,
    `    Sites      ${publicScheme}://<id>.${platformDomain}`,
  ];
  if (openLink !== null) lines.push('', `  Open Berth: ${openLink}`);
  if (ownerKey !== null)
    lines.push(
      '',
      '  Your API key, which is shown only once. Store it safely; if this output is logged, create a new key:',
      '',
      `    ${ownerKey}`,
      '',
      '  Publish a page with this command:',
      '',
      `    ${sampleCommand(api, ownerKey)}`,
    );
  return `${lines.join('\n')}\n\n`;
}

/** Returns a shell command that publishes one page. */
export function sampleCommand(api: string, key: string): string {
  return `printf '${SAMPLE_PAGE}' | curl -sS -H 'Authorization: Bearer ${key}' -F 'files[]=@-;filename=index.html' -F 'checksums=["${hash('md5', SAMPLE_PAGE)}"]' ${api}/deployments`;
}
