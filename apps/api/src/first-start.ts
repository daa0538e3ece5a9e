import { hash } from 'node:crypto';
import type { Config } from './config.ts';

const SAMPLE = '<h1>It floats.</h1>';

/**
 * What the operator reads when the server is up: where it is, and, the one time it is seen, the owner's key.
 *
 * Goes to standard output, never through the log. Source: contract §8; security T37.
 */
export function welcome(
  { baseUrl, publicScheme, platformDomain }: Pick<Config, 'baseUrl' | 'publicScheme' | 'platformDomain'>,
  ownerKey: string | null,
): string {
  const api = baseUrl.origin;
  const lines = [
    '',
    '  Berth is up.',
    '',
    `    API        ${api}`,
    `    Reference  ${api}/docs`,
    `    Sites      ${publicScheme}://<id>.${platformDomain}`,
  ];
  if (ownerKey !== null)
    lines.push(
      '',
      '  Your API key, shown this once. Keep it safe; where this output is stored, replace it:',
      '',
      `    ${ownerKey}`,
      '',
      '  Publish a page, as it stands:',
      '',
      `    ${sampleCommand(api, ownerKey)}`,
    );
  return `${lines.join('\n')}\n\n`;
}

/** A command that publishes one page when pasted into a shell. */
export function sampleCommand(api: string, key: string): string {
  return `printf '${SAMPLE}' | curl -sS -H 'Authorization: Bearer ${key}' -F 'files[]=@-;filename=index.html' -F 'checksums=["${hash('md5', SAMPLE)}"]' ${api}/deployments`;
}
