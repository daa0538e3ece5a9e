import { ERROR_STATUS, ErrorBody, type ErrorCode } from '@berth/contract';
import { expect } from 'vitest';
import type { SampleApi } from './sample-api.ts';

export const JSON_TYPE = { 'Content-Type': 'application/json' };

export interface RestAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The text, parsed as JSON. */
  body: ReturnType<typeof JSON.parse>;
}

/** Sends a request to the REST API. Redirects are not followed. */
export async function askRest({ url }: SampleApi, path: string, init: RequestInit = {}): Promise<RestAnswer> {
  const response = await fetch(url + path, { redirect: 'manual', ...init });
  const text = await response.text();
  const body = text === '' ? undefined : JSON.parse(text);
  return { status: response.status, headers: response.headers, text, body };
}

/** Checks that an answer has the one error body and the status of its code, and is readable from every origin. */
export function expectRestError({ status, headers, body }: RestAnswer, code: ErrorCode): ErrorBody {
  expect(body).toMatchObject({ error: code, status: ERROR_STATUS[code] });
  expect(status).toBe(ERROR_STATUS[code]);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('x-request-id')).toBeTruthy();
  expect(headers.get('access-control-allow-origin')).toBe('*');
  return ErrorBody.parse(body);
}
