import { ERROR_STATUS, ErrorBody, type ErrorCode } from '@berth/contract';
import { TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { invalid, invalidFile, notFound, ServiceError, unavailable } from '../../src/errors.ts';
import { fromZodIssues, toErrorBody, toServiceError, toTrpcError } from '../../src/routers/error-body.ts';

const SECRET = 'postgresql://berth:hunter2@db/berth select * from token';
const errorWithCode = (code: string, extras: object = {}) => Object.assign(new Error(SECRET), { code, ...extras });
const bodyOf = (thrown: unknown) => toErrorBody(toServiceError(thrown), 'request-1');

describe('F7: an unexpected error', () => {
  const internal = (cause: unknown) => new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: SECRET, cause });
  it.each<[string, unknown]>([
    ['an exception', new TypeError(SECRET)],
    ['a database error', errorWithCode('23505', { detail: SECRET, query: SECRET })],
    ['a missing file', errorWithCode('ENOENT', { syscall: 'open', path: '/srv/secret' })],
    ['a refused file', errorWithCode('EACCES')],
    ['a tRPC internal error', internal(undefined)],
    ['a tRPC internal error around an exception', internal(new Error(SECRET))],
    ['an unforeseen tRPC code', new TRPCError({ code: 'TEAPOT' as 'CONFLICT', message: SECRET })],
    ['an output that breaks its schema', internal(z.object({ [SECRET]: z.string() }).safeParse({}).error)],
    ['a text', SECRET],
    ['null', null],
    ['undefined', undefined],
    ['an object', { message: SECRET, status: 404, code: 'not_found' }],
  ])('such as %s becomes a 500 without details', (_, thrown) => {
    expect(bodyOf(thrown)).toEqual({
      error: 'internal_server_error',
      message: 'Something went wrong on our side.',
      status: 500,
      details: { requestId: 'request-1' },
    });
    expect(JSON.stringify(toServiceError(thrown).message)).not.toContain('hunter2');
  });

  it('keeps the cause for the operator', () => {
    const error = new Error(SECRET);
    expect(toServiceError(error).cause).toBe(error);
  });
});

describe('api §2: the body of an error', () => {
  it.each<[ServiceError, { message: string; details?: object }]>([
    [notFound('deployment'), { message: 'There is no such deployment.' }],
    [
      invalid('limit', 'is bad'),
      { message: 'limit: is bad', details: { issues: [{ path: 'limit', message: 'is bad' }] } },
    ],
    [invalidFile('a.exe', 'is bad'), { message: 'a.exe: is bad', details: { file: 'a.exe' } }],
    [unavailable('Not now.', new Error(SECRET)), { message: 'Not now.' }],
    [
      new ServiceError('forbidden', 'Full.', { details: { cap: 'deployments', used: 5, limit: 5 } }),
      { message: 'Full.', details: { cap: 'deployments', used: 5, limit: 5 } },
    ],
    [
      new ServiceError('rate_limit_exceeded', 'Slow down.', { retryAfterSeconds: 7 }),
      { message: 'Slow down.', details: { retryAfter: 7 } },
    ],
    [new ServiceError('rate_limit_exceeded', 'Slow down.'), { message: 'Slow down.', details: { retryAfter: 1 } }],
  ])('has the specified fields for %s', (error, expected) => {
    const body = toErrorBody(error, 'request-1');
    expect(body).toEqual({ error: error.code, status: ERROR_STATUS[error.code], ...expected });
    expect(ErrorBody.parse(body)).toEqual(body);
  });

  it('contains neither stack nor cause', () => {
    for (const code of Object.keys(ERROR_STATUS) as ErrorCode[]) {
      const text = JSON.stringify(bodyOf(new ServiceError(code, 'm', { cause: new Error(SECRET) })));
      expect(text).not.toMatch(/hunter2|error-body\.test|stack/);
    }
  });
});

describe('api §2: REST and tRPC respond with the same status', () => {
  it.each(Object.entries(ERROR_STATUS) as [ErrorCode, number][])(
    'the error %s has the status %s in REST, and keeps it in tRPC',
    (code, status) => {
      const error = new ServiceError(code, 'm');
      const carried = toTrpcError(error);
      expect(error.status).toBe(status);
      expect(toServiceError(carried)).toBe(error);
      // The codes of tRPC have no 414 and no 431.
      expect(getHTTPStatusCodeFromError(carried)).toBe(
        code === 'uri_too_long' || code === 'headers_too_large' ? 400 : status,
      );
    },
  );

  it.each<[TRPCError['code'], ErrorCode]>([
    ['NOT_FOUND', 'not_found'],
    ['METHOD_NOT_SUPPORTED', 'method_not_allowed'],
    ['PAYLOAD_TOO_LARGE', 'payload_too_large'],
    ['PARSE_ERROR', 'validation_failed'],
    ['BAD_REQUEST', 'validation_failed'],
    ['UNSUPPORTED_MEDIA_TYPE', 'validation_failed'],
    ['CLIENT_CLOSED_REQUEST', 'request_timeout'],
  ])('for the error %s of tRPC, which is %s with a message of the service', (code, expected) => {
    const body = bodyOf(new TRPCError({ code, message: SECRET }));
    expect(body).toMatchObject({ error: expected, status: ERROR_STATUS[expected] });
    expect(body.message).not.toContain('hunter2');
  });
});

describe('api §2: the issues of a schema', () => {
  const schema = z.object({ limit: z.int('a whole number'), labels: z.array(z.string('a text')) });
  const issuesOf = (value: unknown) => schema.safeParse(value).error!.issues;

  it('are each listed with their path', () => {
    const error = fromZodIssues(issuesOf({ limit: 'x', labels: ['ok', 1] }));
    const issues = [
      { path: 'limit', message: 'a whole number' },
      { path: 'labels.1', message: 'a text' },
    ];
    expect(toErrorBody(error, '')).toMatchObject({
      message: 'limit: a whole number',
      status: 400,
      details: { issues },
    });
  });

  it('have an empty path if they concern the whole input', () => {
    expect(toErrorBody(fromZodIssues(issuesOf('no object')), '')).toMatchObject({
      message: expect.stringMatching(/^input: /),
      details: { issues: [{ path: '' }] },
    });
    expect(toErrorBody(fromZodIssues([]), '')).toMatchObject({ error: 'validation_failed', status: 400 });
  });

  it('S1: are cut to 50, and the message says how many more there are', () => {
    const manyIssues = fromZodIssues(issuesOf({ limit: 1, labels: Array.from({ length: 5_050 }, () => 1) }));
    expect(toErrorBody(manyIssues, '')).toMatchObject({
      message: 'labels.0: a text (and 5,000 more that are not listed)',
      details: { issues: expect.toSatisfy((issues: unknown[]) => issues.length === 50) },
    });
  });

  it('S1: are cut to a body of at most 16 KiB, whatever the input is', () => {
    const longText = 'é'.repeat(100_000);
    const errors = [
      fromZodIssues(
        Array.from({ length: 100 }, (_, at) => ({ code: 'custom', path: [longText, at], message: longText })),
      ),
      new ServiceError('validation_failed', longText, { details: { file: longText } }),
      new ServiceError('business_logic_error', longText, {
        details: { domains: Array.from({ length: 9_000 }, () => 'long.example') },
      }),
    ];
    for (const error of errors) {
      const text = JSON.stringify(toErrorBody(error, ''));
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16 * 1024);
      expect(JSON.parse(text)).toMatchObject({ error: error.code, details: expect.anything() });
    }
  });

  it('cause a 400 only if the input was invalid', () => {
    const { error } = schema.safeParse({});
    expect(bodyOf(new TRPCError({ code: 'BAD_REQUEST', cause: error! })).status).toBe(400);
    expect(bodyOf(error).status).toBe(500);
  });
});

describe('I9: an unavailable dependency', () => {
  const codes =
    'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT 08000 08003 08006 53300 53400 57P01 57P02 57P03 55P03 40P01 ' +
    '40001 ENOSPC EDQUOT EIO EROFS EMFILE ENFILE';
  it.each(codes.split(' '))('causes a 503 with Retry-After and without details, as for %s', (code) => {
    const directError = errorWithCode(code);
    for (const thrown of [
      directError,
      new Error(SECRET, { cause: directError }),
      new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause: directError }),
    ]) {
      const error = toServiceError(thrown);
      expect(error).toMatchObject({ code: 'unavailable', status: 503, retryAfterSeconds: expect.any(Number) });
      expect(error.retryAfterSeconds).toBeGreaterThanOrEqual(1);
      expect(JSON.stringify(toErrorBody(error, ''))).not.toContain('hunter2');
    }
  });

  it.each([
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error and is not queryable',
  ])('is recognised by the message "%s" of the driver', (message) => {
    expect(toServiceError(new Error(message))).toMatchObject({ code: 'unavailable' });
  });

  it('is recognised by a missing socket, but not by a missing file', () => {
    expect(bodyOf(errorWithCode('ENOENT', { syscall: 'connect' })).status).toBe(503);
    expect(bodyOf(errorWithCode('ENOENT', { syscall: 'open' })).status).toBe(500);
    expect(bodyOf(errorWithCode('ENOENT')).status).toBe(500);
  });

  it('does not cause an endless loop in a circular chain of causes', () => {
    const circular = new Error('a');
    circular.cause = circular;
    expect(bodyOf(circular).status).toBe(500);
  });
});
