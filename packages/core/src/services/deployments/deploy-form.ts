import {
  Checksums,
  DEPLOY_FIELDS,
  type DeployField,
  type DeployOptions,
  FILES_FIELD,
  Labels,
  normalizeVia,
  Password,
  Ttl,
} from '@berth/contract';
import type { z } from 'zod';
import type { Caller } from '../../core.ts';
import { invalid, ServiceError } from '../../errors.ts';

/** The single fields of a deploy, as text. */
export interface DeployForm {
  /** Takes a field. @throws `validation_failed` for one that is unknown or repeated. */
  add(name: string, value: string): void;
  /** Reads the fields. @throws `validation_failed`; `forbidden` for a `ttl` without a credential. */
  read(caller: Caller): { checksums: string[]; options: DeployOptions };
}

/** Gathers the fields of a deploy, in any order. Source: contract §3. */
export function collectForm(): DeployForm {
  const fields = new Map<DeployField, string>();
  return {
    add(name, value) {
      const field = DEPLOY_FIELDS.find((known) => known === name);
      if (!field)
        throw invalid(
          name,
          name === FILES_FIELD
            ? 'a file part carries a filename, which is its path'
            : `there is no such field; there are ${FILES_FIELD}, ${DEPLOY_FIELDS.join(', ')}`,
        );
      if (fields.has(field)) throw invalid(field, 'the field stands once');
      fields.set(field, value);
    },
    read(caller) {
      const checksums = fields.get('checksums');
      if (checksums === undefined)
        throw invalid('checksums', 'is missing: send a JSON array with the MD5 of each file, in order');
      const ttl = fields.get('ttl');
      if (ttl !== undefined && caller.kind === 'anonymous')
        throw new ServiceError('forbidden', 'ttl needs a credential; an anonymous deployment lives for 3 days.');
      const password = fields.get('password');
      return {
        checksums: checked('checksums', Checksums, json('checksums', checksums)),
        options: {
          labels: checked('labels', Labels, json('labels', fields.get('labels') ?? '[]')),
          password: password === undefined ? null : checked('password', Password, password),
          via: normalizeVia(fields.get('via')),
          ttlSeconds:
            ttl === undefined
              ? null
              : checked('ttl', Ttl, /^(?:0|-?[1-9]\d{0,9})$/.test(ttl) ? Number(ttl) : Number.NaN),
        },
      };
    },
  };
}

function json(field: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(field, 'is a JSON array of strings, such as ["…"]');
  }
}

function checked<S extends z.ZodType>(field: string, schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw invalid([field, ...(issue?.path ?? [])].join('.'), issue?.message ?? 'is not valid');
}
