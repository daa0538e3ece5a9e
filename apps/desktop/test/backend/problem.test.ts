import { ClientError, type ClientErrorKind } from '@berth/client';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { problemOf } from '../../src/main/problem.ts';
import { Problem } from '../../src/shared/problem.ts';

const KINDS: ClientErrorKind[] = ['network', 'unavailable', 'signed-out', 'refused', 'folder', 'server', 'aborted'];

describe('problemOf gives a message and the next step (desktop §8.5)', () => {
  test.each(KINDS)('for an error of the client of the kind %s', (kind) => {
    const problem = Problem.parse(problemOf(new ClientError(kind, 'It did not work')));
    expect(problem).toMatchObject({ kind, message: 'It did not work.', file: null });
    if (problem.next !== null) expect(problem.next).toMatch(/^[A-Z].*\.$/);
  });

  const TABLE: [string, ClientError, Partial<Problem>][] = [
    [
      'a key that is no longer valid',
      new ClientError('signed-out', 'Authentication failed', { status: 401 }),
      { message: 'Your key is not valid.', next: 'Sign in again under Settings.' },
    ],
    [
      'a plan that is full',
      new ClientError('signed-out', 'Full', { status: 403, details: { cap: 'deployments', used: 100, limit: 100 } }),
      { next: 'Delete some first. Your plan includes 100 deployments.' },
    ],
    [
      'a plan that does not include it',
      new ClientError('signed-out', 'Full', { status: 403, details: { cap: 'customDomains', used: 0, limit: 0 } }),
      { next: 'Your plan does not include custom domains.' },
    ],
    [
      'a credential without permission',
      new ClientError('signed-out', 'Not allowed', { status: 403 }),
      { next: 'Sign in with an API key: your current key does not allow this.' },
    ],
    [
      'a file that is too large',
      new ClientError('refused', 'x', {
        status: 413,
        file: 'a/film.mp4',
        details: { limit: 'maxFileSize', max: 5_000_000, file: 'a/film.mp4' },
      }),
      { message: 'a/film.mp4 is too large. The limit is 5.0 MB for each file.', file: 'a/film.mp4' },
    ],
    [
      'a site that is too large, whichever file exceeds the limit',
      new ClientError('refused', 'x', {
        status: 413,
        file: 'z.txt',
        details: { limit: 'maxTotalSize', max: 100_000_000, file: 'z.txt' },
      }),
      {
        message: 'The site is too large. The limit is 100 MB.',
        next: 'Exclude files that visitors do not need in a .berthignore file, or choose a larger plan.',
      },
    ],
    [
      'a file that is refused',
      new ClientError('refused', 'setup.exe: programs are never published', { status: 400, file: 'setup.exe' }),
      { next: 'Change setup.exe, or exclude it in a .berthignore file.', file: 'setup.exe' },
    ],
    [
      'several files that are refused',
      new ClientError('folder', 'a.exe: is bad (and 2 more files).', {
        file: 'a.exe',
        details: { issues: ['a.exe', 'b.exe', 'c'.repeat(500)].map((path) => ({ path, message: 'is bad' })) },
      }),
      { next: 'Fix these files, or exclude them in a .berthignore file: a.exe, b.exe and 1 more.', file: 'a.exe' },
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

test('problemOf turns invalid input into a refusal that names the field', () => {
  const { error } = z.object({ name: z.string() }).safeParse({ name: 1 });
  const { kind, message } = problemOf(error);
  expect(kind).toBe('refused');
  expect(message).toMatch(/^name: .+\.$/);
});

test('problemOf gives an AbortError the kind aborted', () => {
  expect(problemOf(new DOMException('The operation was aborted', 'AbortError')).kind).toBe('aborted');
});

test.each([new TypeError("Cannot read properties of undefined (reading 'key')"), 'a text', null, undefined, { a: 1 }])(
  'problemOf reveals no internal details of a bug in the app, such as %s',
  (thrown) => {
    const problem = problemOf(thrown);
    expect(problem).toEqual({
      kind: 'unexpected',
      message: 'Something went wrong in the app.',
      next: 'Try again. If it happens again, restart the app.',
      file: null,
    });
  },
);

test('problemOf shortens a long message of a server', () => {
  expect(problemOf(new ClientError('refused', 'x'.repeat(100_000))).message.length).toBeLessThan(700);
});
