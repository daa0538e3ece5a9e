import { describe, expect, it } from 'vitest';
import { ERROR_STATUS, ErrorBody } from '../src/errors.ts';

describe('api §2: the error vocabulary', () => {
  it('gives each code its one status', () => {
    expect(ERROR_STATUS).toEqual({
      validation_failed: 400,
      authentication_failed: 401,
      forbidden: 403,
      not_found: 404,
      method_not_allowed: 405,
      request_timeout: 408,
      payload_too_large: 413,
      uri_too_long: 414,
      business_logic_error: 422,
      rate_limit_exceeded: 429,
      headers_too_large: 431,
      internal_server_error: 500,
      unavailable: 503,
    });
  });

  it.each(Object.entries(ERROR_STATUS))('accepts a body of %s', (error, status) => {
    expect(ErrorBody.parse({ error, message: 'm', status })).toEqual({ error, message: 'm', status });
  });

  it.each([
    [{ error: 'teapot', message: 'm', status: 418 }],
    [{ error: 'not_found', status: 404 }],
    [{ error: 'not_found', message: 'm', status: '404' }],
    [{ error: 'toString', message: 'm', status: 500 }],
  ])('refuses %j', (body) => {
    expect(ErrorBody.safeParse(body).success).toBe(false);
  });
});
