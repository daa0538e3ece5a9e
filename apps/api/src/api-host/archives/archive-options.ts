import type { IncomingHttpHeaders } from 'node:http';
import { DEPLOY_FIELDS } from '@berth/contract';
import { invalid } from '@berth/core';

/** The header that contains the password of a site that is published from an archive. */
export const PASSWORD_HEADER = 'Berth-Password';

/** The options of a deploy whose body is an archive. */
export interface ArchiveOptions {
  /** Whether the one folder that contains all files is stripped. */
  strip: boolean;
  /** The other options as fields of the deploy form: name and text. */
  fields: (readonly [string, string])[];
}

/** The fields of the form that are not query parameters of the same name. */
export const NOT_IN_QUERY: ReadonlySet<string> = new Set(['checksums', 'labels', 'password']);
const FLAGS: Readonly<Record<string, boolean>> = { 1: true, 0: false };

/**
 * Reads the options of an archive from the query and the headers of its request. Other parameters are ignored.
 *
 * @throws `validation_failed` for a password in the query, for `protected=1` without a password, and for a flag that is
 *   neither 1 nor 0. Source: api §11.
 */
export function readArchiveOptions(query: URLSearchParams, headers: IncomingHttpHeaders): ArchiveOptions {
  const password = headers[PASSWORD_HEADER.toLowerCase()];
  if (query.has('password'))
    throw invalid('password', `a password must be sent in the header ${PASSWORD_HEADER}, because URLs are logged`);
  if (readFlag(query, 'protected', false) && password === undefined)
    throw invalid('protected', `protected=1 needs a password in the header ${PASSWORD_HEADER}`);
  const labels = query.getAll('label');
  return {
    strip: readFlag(query, 'strip', true),
    fields: [
      ...[...query].filter(([name]) => DEPLOY_FIELDS.some((field) => field === name) && !NOT_IN_QUERY.has(name)),
      ...(labels.length > 0 ? [['labels', JSON.stringify(labels)] as const] : []),
      // Node reads headers as Latin-1.
      ...(password === undefined ? [] : [['password', Buffer.from(String(password), 'latin1').toString()] as const]),
    ],
  };
}

function readFlag(query: URLSearchParams, name: string, byDefault: boolean): boolean {
  const texts = query.getAll(name);
  if (texts.length === 0) return byDefault;
  const flag = texts.length === 1 ? FLAGS[texts[0]!] : undefined;
  if (flag === undefined) throw invalid(name, 'must be 1 or 0, and given only once');
  return flag;
}
