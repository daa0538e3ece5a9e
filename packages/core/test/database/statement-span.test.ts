import { describe, expect, it } from 'vitest';
import { beginStatement } from '../../src/database/statement-span.ts';
import { type SpanAttributes, type Tracer, UNTRACED } from '../../src/tracing.ts';

/** Returns the name and the text of the span of a statement. */
function spanOf(statement: unknown): { name: string; text: unknown } | null {
  let span: { name: string; text: unknown } | null = null;
  const begin: Tracer['begin'] = (name: string, attributes: SpanAttributes = {}) => {
    span = { name, text: attributes['db.query.text'] };
    return () => {};
  };
  beginStatement({ ...UNTRACED, begin }, statement);
  return span;
}

describe('the span of a statement', () => {
  it.each([
    ['select 1', 'SELECT', 'select 1'],
    [{ name: 'find', text: 'select * from "site" where id = $1' }, 'SELECT', 'select * from "site" where id = $1'],
    [`insert into "token" values ('abc', 'de''f', 7)`, 'INSERT', 'insert into "token" values (?, ??, 7)'],
    [
      `update "account" set email = E'a\\\\b''c' where id = ''`,
      'UPDATE',
      'update "account" set email = E?? where id = ?',
    ],
    [`  begin`, 'BEGIN', '  begin'],
    [`select 'not ended`, 'SELECT', 'select ?'],
    ['', 'STATEMENT', ''],
  ])('T20: of %j has no values', (statement, name, text) => {
    expect(spanOf(statement)).toEqual({ name, text });
  });

  it('T20: has no part of a value that is cut', () => {
    for (let length = 980; length < 1_010; length += 1)
      expect(spanOf(`select ${'x'.repeat(length)}, 'secret'`)!.text).not.toMatch(/secret|s$|sec/);
  });

  it('is not begun without a text or a tracer', () => {
    expect(spanOf({})).toBeNull();
    expect(spanOf(undefined)).toBeNull();
    expect(beginStatement(UNTRACED, 'select 1')).toBeNull();
  });
});
