import { describe, expect, it } from 'vitest';
import { ERROR_STATUS, ErrorBody } from '../src/errors.ts';

describe('api §2: the schema of error bodies', () => {
  it.each(Object.entries(ERROR_STATUS))('accepts a body with the code %s', (error, status) => {
    expect(ErrorBody.parse({ error, message: 'm', status })).toEqual({ error, message: 'm', status });
  });

  it.each([
    [{ error: 'teapot', message: 'm', status: 418 }],
    [{ error: 'not_found', status: 404 }],
    [{ error: 'not_found', message: 'm', status: '404' }],
    [{ error: 'toString', message: 'm', status: 500 }],
  ])('refuses the body %j', (body) => {
    expect(ErrorBody.safeParse(body).success).toBe(false);
  });
});
