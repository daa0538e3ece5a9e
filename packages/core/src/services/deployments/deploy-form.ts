import {
  Checksums,
  DEPLOY_FIELDS,
  type DeployField,
  type DeployLimits,
  DeployOptions,
  FILES_FIELD,
} from '@berth/contract';
import type { z } from 'zod';
import { parseBoundedJson } from '../../bounded-json.ts';
import { invalid, ServiceError } from '../../errors.ts';
import { maxFileParts, payloadTooLarge } from './file-rules.ts';

/** The fields of a deploy except its files. */
export interface DeployForm {
  /**
   * Adds a field.
   *
   * @throws `validation_failed` for an invalid, unknown or repeated field; `payload_too_large` for a long field; what
   *   `onOption` throws.
   */
  add(name: string, value: string): void;
  /**
   * Returns the checksums.
   *
   * @param expected What they should be. Comparing them is faster than parsing them.
   * @throws `validation_failed` if they are missing or malformed.
   */
  readChecksums(expected: readonly string[]): readonly string[];
  /** The other fields that have arrived. */
  readonly options: DeployOptions;
}

const MAX_FIELD_BYTES = 64 * 1024;
/** What nearly all clients write between two checksums. */
const USUAL_SEPARATORS = ['","', '", "'];
const INTEGER = /^(?:0|-?[1-9]\d{0,9})$/;
const FLAGS = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
]);

/**
 * Collects the fields of a deploy, in any order, under the limits of a plan.
 *
 * @param onOption Receives each option as soon as it has arrived, so that it can be refused before the files.
 * Source: api §3.
 */
export function collectForm(limits: DeployLimits, onOption: (option: DeployOptions) => void = () => {}): DeployForm {
  const fields = new Set<DeployField>();
  const options: DeployOptions = {};
  let checksums: string | undefined;
  return {
    options,
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
      fields.add(field);
      if (field === 'checksums') {
        checksums = value;
        return;
      }
      if (Buffer.byteLength(value) > MAX_FIELD_BYTES)
        throw payloadTooLarge('body', MAX_FIELD_BYTES, `${field} must have at most ${MAX_FIELD_BYTES} bytes.`);
      const option = parseOptionText(field, value);
      Object.assign(options, option);
      onOption(option);
    },
    readChecksums(expected) {
      if (checksums === undefined)
        throw invalid('checksums', 'the field is missing: send a JSON array with the MD5 of each file, in order');
      if (expected.length > 0 && USUAL_SEPARATORS.some((separator) => checksums === `["${expected.join(separator)}"]`))
        return expected;
      return parseField('checksums', Checksums, parseJsonField('checksums', checksums, maxFileParts(limits)));
    },
  };
}

/**
 * Parses the text of one option of a deploy, as forms and query parameters contain it.
 *
 * @returns The option under its name. @throws `validation_failed`. Source: api §3.
 */
function parseOptionText(field: keyof DeployOptions, text: string): DeployOptions {
  return { [field]: parseField(field, DeployOptions.shape[field], valueOf(field, text)) };
}

function valueOf(field: keyof DeployOptions, text: string): unknown {
  switch (field) {
    case 'labels':
      return parseJsonField(field, text, MAX_FIELD_BYTES);
    case 'ttl':
    case 'keep':
      return INTEGER.test(text) ? Number(text) : Number.NaN;
    case 'open': {
      const flag = FLAGS.get(text);
      if (flag === undefined) throw invalid(field, 'open must be 1 or 0');
      return flag;
    }
    case 'password':
    case 'via':
    case 'domain':
      return text;
    default:
      return field satisfies never;
  }
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
