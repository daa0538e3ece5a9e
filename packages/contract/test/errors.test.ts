import { describe, expect, it } from 'vitest';
import { ERROR_STATUS, ErrorBody } from '../src/errors.ts';

describe('api §2: the schema of error bodies', () => {
  it.each(Object.entries(ERROR_STATUS))('accepts a body with the code %s', (error, status) => {
    expect(ErrorBody.parse({ error, message: 'm', status })).toEqual({ error, message: 'm', status });
  });

  it('accepts a code that a newer server has added', () => {
    const body = { error: 'teapot', message: 'm', status: 418 };
    expect(ErrorBody.parse(body)).toEqual(body);
  });

  it.each([
    [{ error: 'not_found', status: 404 }],
    [{ error: 'not_found', message: 'm', status: '404' }],
    [{ error: 404, message: 'm', status: 404 }],
  ])('refuses the body %j', (body) => {
    expect(ErrorBody.safeParse(body).success).toBe(false);
  });
});
