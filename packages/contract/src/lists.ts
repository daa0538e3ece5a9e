import { z, ZodArray } from 'zod';

/** The number of invalid elements of a list after which validation stops. */
export const MAX_INVALID_ELEMENTS = 10;

const List = z.core.$constructor('List', (inst: z.ZodArray, def: z.core.$ZodArrayDef) => {
  // `ZodArray` is imported by name, because bundlers may drop calls of `z`, which they treat as free of side effects.
  ZodArray.init(inst, def);
  const { parse } = inst._zod;
  const maxLength = maxLengthOf(def);
  inst._zod.parse = (payload, ctx) => {
    const input: unknown = payload.value;
    // zod refuses an array that is too long without validating its elements.
    const isCandidate = Array.isArray(input) && input.length <= maxLength;
    return isCandidate ? validateElements(def.element, input, payload, ctx) : parse(payload, ctx);
  };
});

/**
 * Returns a schema like `z.array` that refuses bad lists cheaply: a list longer than its `max` before any element is
 * validated, any other list after {@link MAX_INVALID_ELEMENTS} invalid elements. Elements are validated synchronously.
 */
export function list<T extends z.ZodType>(element: T): z.ZodArray<T> {
  return new List({ type: 'array', element }) as unknown as z.ZodArray<T>;
}

function maxLengthOf({ checks = [] }: z.core.$ZodArrayDef): number {
  const maxima = checks.map(({ _zod: { def } }) =>
    def.check === 'max_length' ? (def as z.core.$ZodCheckMaxLengthDef).maximum : Infinity,
  );
  return Math.min(...maxima);
}

function validateElements(
  element: z.core.$ZodType,
  input: readonly unknown[],
  payload: z.core.ParsePayload,
  ctx: z.core.ParseContextInternal,
): z.core.ParsePayload {
  const output: unknown[] = [];
  let invalid = 0;
  for (const [at, value] of input.entries()) {
    const result = element._zod.run({ value, issues: [] }, ctx);
    if (result instanceof Promise) throw new z.core.$ZodAsyncError();
    output.push(result.value);
    if (result.issues.length === 0) continue;
    payload.issues.push(...z.core.util.prefixIssues(at, result.issues));
    invalid += 1;
    if (invalid === MAX_INVALID_ELEMENTS) return payload;
  }
  payload.value = output;
  return payload;
}
