import { list } from '@berth/contract';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { appRouter } from '../../src/routers/app-router.ts';

interface Definition {
  type: string;
  [part: string]: unknown;
}

/** The inputs that are bounded elsewhere, with the place of the bound. */
const OTHER_BOUNDS = new Map([
  ['deployments.begin files', 'by the plan of the caller, before validation'],
  ['deployments.begin put', 'by the plan of the caller, before validation'],
  ['deployments.begin remove', 'by the largest plan, before validation'],
  ['deployments.begin via', 'by the body: a malformed one is no error, so it has no length at which it is one'],
]);

const BOUNDED_TYPES = new Set(['number', 'int', 'boolean', 'enum', 'literal', 'null', 'undefined', 'never']);
const WRAPPER_TYPES = new Set(['optional', 'nullable', 'default', 'prefault', 'catch', 'readonly', 'nonoptional']);

function describeInput(schema: z.core.$ZodType): { maxItems?: number; maxLength?: number } {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
}

/** Returns the positions in an input that accept lists or texts of any length. */
function unboundedPlaces(schema: z.core.$ZodType, place: string): string[] {
  const def = schema._zod.def as unknown as Definition;
  const innerPlaces = (part: unknown, name: string) => unboundedPlaces(part as z.core.$ZodType, name);
  if (WRAPPER_TYPES.has(def.type)) return innerPlaces(def['innerType'], place);
  if (def.type === 'pipe') return innerPlaces(def['in'], place);
  if (def.type === 'union') return (def['options'] as unknown[]).flatMap((option) => innerPlaces(option, place));
  if (def.type === 'object')
    return Object.entries(def['shape'] as object).flatMap(([name, field]) => innerPlaces(field, `${place} ${name}`));
  const { maxItems, maxLength } = describeInput(schema);
  if (def.type === 'array') {
    const isBounded = schema._zod.traits.has('List') && (maxItems !== undefined || OTHER_BOUNDS.has(place));
    return [...(isBounded ? [] : [`${place}: a list`]), ...innerPlaces(def['element'], `${place} []`)];
  }
  if (def.type === 'string') return maxLength !== undefined || OTHER_BOUNDS.has(place) ? [] : [`${place}: a text`];
  return BOUNDED_TYPES.has(def.type) ? [] : [`${place}: ${def.type}`];
}

const procedures = Object.entries(appRouter._def.procedures) as unknown as [
  string,
  { _def: { inputs: z.core.$ZodType[] } },
][];

describe('S1: the input', () => {
  it.each(procedures.map(([name, { _def }]) => [name, _def.inputs] as const))('of %s is bounded', (name, inputs) => {
    expect(inputs.flatMap((input) => unboundedPlaces(input, name))).toEqual([]);
  });

  it('of a procedure is recognised by this test if it is unbounded', () => {
    const foundPlaces = (schema: z.core.$ZodType) => unboundedPlaces(schema, 'x');
    expect(foundPlaces(z.object({ a: z.string(), b: z.string().max(3) }))).toEqual(['x a: a text']);
    expect(foundPlaces(z.array(z.int()).max(3))).toEqual(['x: a list']);
    expect(foundPlaces(list(z.string().max(3)).optional())).toEqual(['x: a list']);
    expect(foundPlaces(list(z.string()).max(3).transform(String))).toEqual(['x []: a text']);
    expect(foundPlaces(z.record(z.string(), z.unknown()))).toEqual(['x: record']);
  });

  it('that is listed as an exception belongs to an existing procedure', () => {
    const names = new Set(procedures.map(([name]) => name));
    expect([...OTHER_BOUNDS.keys()].filter((place) => !names.has(place.split(' ')[0]!))).toEqual([]);
  });
});
