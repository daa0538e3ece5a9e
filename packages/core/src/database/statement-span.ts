import { type EndSpan, type Tracer, UNTRACED } from '../tracing.ts';

const MAX_TEXT_LENGTH = 1_000;

/**
 * Begins the span of a statement. Its text has `?` for every value in quotation marks, because the ORM writes values into
 * the text, and these can be secrets. Source: security T20.
 */
export function beginStatement(tracer: Tracer, statement: unknown): EndSpan | null {
  if (tracer === UNTRACED) return null;
  const query = typeof statement === 'string' ? statement : (statement as { text?: unknown } | undefined)?.text;
  if (typeof query !== 'string') return null;
  const text = query.slice(0, MAX_TEXT_LENGTH).replace(/'[^']*(?:'|$)/g, '?');
  const operation = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'STATEMENT';
  return tracer.begin(operation, {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    'db.query.text': text,
  });
}
