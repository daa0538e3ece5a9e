import { readFileSync } from 'node:fs';
import { ANONYMOUS_PLAN, type Plan, PlansFile } from '@berth/contract';
import { z } from 'zod';

/** Reads a plan table. @throws AggregateError with one Error for each invalid place in the file. Source: api §6. */
export function readPlansFile(file: string): readonly Plan[] {
  const parsed = PlansFile.safeParse(readJson(file));
  if (!parsed.success) {
    const faults = parsed.error.issues.map(
      ({ path, message }) => new Error(`${file}: ${z.core.toDotPath(path) || 'the file'}: ${message}`),
    );
    throw new AggregateError(faults);
  }
  const { plans } = parsed.data;
  if (!plans.some(({ plan }) => plan === ANONYMOUS_PLAN))
    throw new Error(`${file}: plans must have a plan "${ANONYMOUS_PLAN}", whose limits apply to anonymous deploys`);
  return plans;
}

function readJson(file: string): unknown {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(`${file} cannot be read (${code}); name a readable JSON file`, { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file} must be JSON: ${(cause as Error).message.replace(/\s+/g, ' ')}`, { cause });
  }
}
