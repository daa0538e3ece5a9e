import { describe, expect, it } from 'vitest';
import { Email } from '../src/index.ts';

describe('an e-mail address (api §13)', () => {
  it.each([
    [' ada@example.com ', 'ada@example.com'],
    ['zoë@bücher.example', 'zoë@bücher.example'],
    ['😀@example.com', '😀@example.com'],
  ])('%j becomes %j', (text, expected) => expect(Email.parse(text)).toBe(expected));

  it.each([
    '',
    'ada',
    '@example.com',
    'ada@',
    'a@b@c',
    'a b@c',
    'a\u0000@b',
    '\ud800@b',
    'a@\udc00',
    `${'a'.repeat(250)}@b.cd`,
  ])('%j is refused', (text) => expect(Email.safeParse(text).success).toBe(false));
});
