import { ERROR_DETAILS, ErrorBody, SIZE_LIMITS, type SizeLimit } from '@berth/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCap, readErrorBody, readIssues, readSizeLimit } from '../../src/error-body.ts';

/** Any value of JSON, in which texts and whole numbers are frequent. */
const anyValue = fc.oneof(fc.string(), fc.integer(), fc.constantFrom(...SIZE_LIMITS), fc.jsonValue());
/** An object with some of the fields of errors, or any other value. */
const anyError = fc.oneof(
  fc.record(
    {
      error: anyValue,
      message: anyValue,
      status: anyValue,
      details: fc.oneof(anyValue, fc.object()),
      issues: fc.array(fc.oneof(fc.record({ path: anyValue, message: anyValue }), anyValue), { maxLength: 3 }),
      file: anyValue,
      cap: anyValue,
      used: anyValue,
      limit: anyValue,
      max: anyValue,
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
);

const IssueDetails = ERROR_DETAILS.validation_failed.required({ issues: true });
const LIMITS = Object.fromEntries(SIZE_LIMITS.map((limit) => [limit, null])) as Record<SizeLimit, null>;

describe('the reader of error bodies accepts what the schemas of the contract accept', () => {
  const READERS = [
    ['a body', readErrorBody, ErrorBody],
    ['issues', readIssues, IssueDetails],
    ['a cap', readCap, ERROR_DETAILS.forbidden],
    ['a size limit', (details: unknown) => readSizeLimit(details, LIMITS), ERROR_DETAILS.payload_too_large],
  ] as const;

  test.each(READERS)('%s', (_, read, schema) => {
    fc.assert(
      fc.property(anyError, (value) => {
        expect(read(value) !== null).toBe(schema.safeParse(value).success);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    [readErrorBody, ErrorBody, { error: 'new_code', message: 'No.', status: 409, details: { more: [1] } }],
    [readCap, ERROR_DETAILS.forbidden, { cap: 'storage', used: 7, limit: 7 }],
  ] as const)('and returns the same value', (read, schema, value) => {
    expect(read(value)).toEqual(schema.parse(value));
  });

  test('and returns the issues and the limit', () => {
    const issues = [{ path: 'labels.0', message: 'a label must have at least 3 characters' }];
    expect(readIssues({ issues, file: 'a' })).toEqual(issues);
    expect(readSizeLimit({ limit: 'body', max: 10, file: 'a' }, LIMITS)).toEqual({ limit: 'body', max: 10 });
    expect(readSizeLimit({ limit: 'toString', max: 10 }, LIMITS)).toBeNull();
  });
});
