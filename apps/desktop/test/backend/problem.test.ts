import { ClientError, type ClientErrorKind } from '@berth/client';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { problemOf } from '../../src/main/problem.ts';
import { Problem } from '../../src/shared/problem.ts';

const KINDS: ClientErrorKind[] = ['network', 'unavailable', 'signed-out', 'refused', 'folder', 'server', 'aborted'];

describe('problemOf gives a message and the next step (desktop §8, 5)', () => {
  test.each(KINDS)('for an error of the kind %s', (kind) => {
    const problem = Problem.parse(problemOf(new ClientError(kind, 'It did not work')));
    expect(problem).toMatchObject({ kind, message: 'It did not work.', file: null });
    if (problem.next !== null) expect(problem.next).toMatch(/^[A-Z].*\.$/);
  });

  const TABLE: [string, ClientError, Partial<Problem>][] = [
    [
      'a key that is no longer valid',
      new ClientError('signed-out', 'Authentication failed', { status: 401 }),
      { message: 'The server does not take the key.', next: 'Sign in again under Settings.' },
    ],
    [
      'a plan that is full',
      new ClientError('signed-out', 'Full', { status: 403, details: { cap: 'deployments', used: 100, limit: 100 } }),
      { next: 'Free up space: your plan holds 100 deployments.' },
    ],
    [
      'a plan that does not include it',
      new ClientError('signed-out', 'Full', { status: 403, details: { cap: 'customDomains', used: 0, limit: 0 } }),
      { next: 'Your plan holds no domains of your own: a bigger one does.' },
    ],
    [
      'a credential without permission',
      new ClientError('signed-out', 'Not allowed', { status: 403 }),
      { next: 'Sign in with an API key, which may do more.' },
    ],
    [
      'a file that is too large',
      new ClientError('refused', 'x', {
        status: 413,
        file: 'a/film.mp4',
        details: { limit: 'maxFileSize', max: 5_000_000, file: 'a/film.mp4' },
      }),
      { message: 'a/film.mp4 is too large: a file may have at most 5.0 MB.', file: 'a/film.mp4' },
    ],
    [
      'a site that is too large, whichever file exceeds the limit',
      new ClientError('refused', 'x', {
        status: 413,
        file: 'z.txt',
        details: { limit: 'maxTotalSize', max: 100_000_000, file: 'z.txt' },
      }),
      {
        message: 'It is too large: a site may have at most 100 MB.',
        next: 'Leave out what no visitor needs, with lines in a file named .berthignore, or ask for a bigger plan.',
      },
    ],
    [
      'a file that is refused',
      new ClientError('refused', 'setup.exe: programs are never published', { status: 400, file: 'setup.exe' }),
      { next: 'Change setup.exe, or leave it out with a line in a file named .berthignore.', file: 'setup.exe' },
    ],
    [
      'a server that asks to retry later',
      new ClientError('unavailable', 'Too many', { status: 429, retryAfterSeconds: 120 }),
      { next: 'Try again in 2 min.' },
    ],
  ];
  test.each(TABLE)('for %s', (_, error, problem) => {
    expect(problemOf(error)).toMatchObject(problem);
  });
});

test('refuses invalid input and names the field', () => {
  const { error } = z.object({ name: z.string() }).safeParse({ name: 1 });
  const { kind, message } = problemOf(error);
  expect(kind).toBe('refused');
  expect(message).toMatch(/^name: .+\.$/);
});

test('reports an AbortError as aborted', () => {
  expect(problemOf(new DOMException('The operation was aborted', 'AbortError')).kind).toBe('aborted');
});

test.each([new TypeError("Cannot read properties of undefined (reading 'key')"), 'a text', null, undefined, { a: 1 }])(
  'a bug in the app reveals no internal details: %s',
  (thrown) => {
    const problem = problemOf(thrown);
    expect(problem).toEqual({
      kind: 'unexpected',
      message: 'Something in the app went wrong.',
      next: 'Try again. If it happens once more, restart the app.',
      file: null,
    });
  },
);

test('shortens a long message from a server', () => {
  expect(problemOf(new ClientError('refused', 'x'.repeat(100_000))).message.length).toBeLessThan(700);
});
