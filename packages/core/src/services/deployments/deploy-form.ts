import {
  Checksums,
  DEPLOY_FIELDS,
  type DeployField,
  type DeployLimits,
  type DeployOptions,
  FILES_FIELD,
  Labels,
  normalizeVia,
  Password,
  Ttl,
} from '@berth/contract';
import type { z } from 'zod';
import type { Caller } from '../../core.ts';
import { parseBoundedJson } from '../../bounded-json.ts';
import { invalid, ServiceError } from '../../errors.ts';
import { maxFileParts, payloadTooLarge } from './file-rules.ts';

/** The fields of a deploy except its files. */
export interface DeployForm {
  /** Adds a field. @throws `validation_failed` for an unknown or repeated field; `payload_too_large` for a long field. */
  add(name: string, value: string): void;
  /** Parses the checksums. @throws `validation_failed` if they are missing or malformed. */
  readChecksums(): string[];
  /** Parses the other fields. @throws `validation_failed`; `forbidden` for a `ttl` without a credential. */
  readOptions(caller: Caller): DeployOptions;
}

const MAX_FIELD_BYTES = 64 * 1024;
const INTEGER = /^(?:0|-?[1-9]\d{0,9})$/;

/** Collects the fields of a deploy, in any order, under the limits of a plan. Source: api §3. */
export function collectForm(limits: DeployLimits): DeployForm {
  const fields = new Map<DeployField, string>();
  return {
    add(name, value) {
      const field = DEPLOY_FIELDS.find((known) => known === name);
      if (!field)
        throw invalid(
          name,
          name === FILES_FIELD
            ? 'a file part must carry a filename, which is its path'
            : `unknown field; use one of ${FILES_FIELD}, ${DEPLOY_FIELDS.join(', ')}`,
        );
      if (fields.has(field)) throw invalid(field, 'the field must be sent only once');
      if (field !== 'checksums' && Buffer.byteLength(value) > MAX_FIELD_BYTES)
        throw payloadTooLarge('body', MAX_FIELD_BYTES, `${field} must have at most ${MAX_FIELD_BYTES} bytes.`);
      fields.set(field, value);
    },
    readChecksums() {
      const checksums = fields.get('checksums');
      if (checksums === undefined)
        throw invalid('checksums', 'the field is missing: send a JSON array with the MD5 of each file, in order');
      return parseField('checksums', Checksums, parseJsonField('checksums', checksums, maxFileParts(limits)));
    },
    readOptions(caller) {
      const ttl = fields.get('ttl');
      if (ttl !== undefined && caller.kind === 'anonymous')
        throw new ServiceError('forbidden', 'ttl needs a credential; anonymous deployments expire after 3 days.');
      const password = fields.get('password');
      return {
        labels: parseField('labels', Labels, parseJsonField('labels', fields.get('labels') ?? '[]', MAX_FIELD_BYTES)),
        password: password === undefined ? null : parseField('password', Password, password),
        via: normalizeVia(fields.get('via')),
        ttlSeconds: ttl === undefined ? null : parseField('ttl', Ttl, INTEGER.test(ttl) ? Number(ttl) : Number.NaN),
      };
    },
  };
}

/** Parses a field that must be a list of texts. Allows deeper nesting, so that validation can say what is invalid. */
function parseJsonField(field: string, text: string, maxLength: number): unknown {
  const bounds = { maxBytes: text.length, maxDepth: 3, maxValues: maxLength + 2 };
  try {
    return parseBoundedJson(text, field, bounds);
  } catch (thrown) {
    if (thrown instanceof ServiceError && thrown.code === 'payload_too_large') throw thrown;
    throw invalid(field, 'the field must be a JSON array of strings, such as ["…"]');
  }
}

function parseField<S extends z.ZodType>(field: string, schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw invalid([field, ...(issue?.path ?? [])].join('.'), issue?.message ?? 'the field is invalid');
}
