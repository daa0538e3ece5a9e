import { isDeepStrictEqual } from 'node:util';
import type { oas31 } from 'zod-openapi';
import type { z } from 'zod';

type Schema = oas31.SchemaObject;
/** Schemas by name, as in `components.schemas`. */
export type Schemas = Record<string, Schema>;

const REF_PREFIX = '#/components/schemas/';

/** Returns a reference to a schema of `components.schemas`. */
export const schemaRef = (name: string): oas31.ReferenceObject => ({ $ref: REF_PREFIX + name });

/** Returns the name that `.meta({ id })` gives the last schema of an input; undefined if it has none. */
export function nameOfInput(inputs: readonly z.ZodType[]): string | undefined {
  const input = inputs.at(-1);
  const { innerType } = (input?.def ?? {}) as { innerType?: z.ZodType };
  return input?.meta()?.id ?? (innerType && nameOfInput([innerType]));
}

/** Merges schemas. @throws if two different schemas have the same name. */
export function mergeSchemas(sources: readonly Schemas[]): Schemas {
  const merged: Schemas = {};
  for (const [name, schema] of sources.flatMap((source) => Object.entries(source))) {
    if (name in merged && !isDeepStrictEqual(merged[name], schema))
      throw new Error(`Two schemas have the name ${name}: change the id of one of them.`);
    merged[name] = schema;
  }
  return merged;
}

/** Returns the schemas to which a part of the document refers, directly or through other schemas. */
export function usedSchemas(schemas: Schemas, part: unknown): Schemas {
  const names = namesIn(part, schemas);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => names.has(name)));
}

/**
 * Replaces references that may be null by the schemas that they refer to. OpenAPI 3.0 cannot add null to a reference:
 * `nullable` beside `allOf` has no effect on the schemas of `allOf`.
 */
export function inlineNullable(schemas: Schemas): Schemas {
  return JSON.parse(JSON.stringify(schemas), (_key, value) => {
    if (!value?.nullable || !value.allOf) return value;
    const { allOf, ...rest } = value as Schema;
    return { ...schemas[nameOf(allOf![0] as Schema)!], ...rest };
  }) as Schemas;
}

/** Moves the defaults of the fields of a request into their descriptions. Generators require fields that have a default. */
export function describeDefaults({ properties = {}, ...schema }: Schema): Schema {
  return {
    ...schema,
    properties: mapValues(properties, (property) => {
      const { default: value, description = '', ...rest } = property as Schema;
      if (value === undefined) return property;
      return { ...rest, description: `${description} Default: \`${JSON.stringify(value)}\`.`.trim() };
    }),
  };
}

/**
 * Opens every schema that only responses use: more fields are valid, and enumerations become `x-extensible-enum`, so that
 * generated clients accept responses of newer servers. The fields that discriminate unions keep their one value.
 *
 * @param requests The part of the document that refers to the schemas of requests. Source: api §9.
 */
export function openResponseSchemas(schemas: Schemas, requests: unknown): Schemas {
  const ofRequests = namesIn(requests, schemas);
  const discriminators = new Map(
    Object.values(schemas).flatMap(({ discriminator, oneOf = [] }) =>
      discriminator ? oneOf.map((variant) => [nameOf(variant as Schema), discriminator.propertyName]) : [],
    ),
  );
  return mapValues(schemas, (schema, name) =>
    ofRequests.has(name) ? schema : openSchema(schema, discriminators.get(name)),
  );
}

/** Returns the names of all schemas that a value refers to, directly or through other schemas. */
function namesIn(value: unknown, schemas: Schemas, found = new Set<string>()): Set<string> {
  JSON.stringify(value, (key, member: unknown) => {
    const name = key === '$ref' ? nameOf({ $ref: member as string }) : undefined;
    if (name !== undefined && name in schemas && !found.has(name)) namesIn(schemas[name], schemas, found.add(name));
    return member;
  });
  return found;
}

const nameOf = ({ $ref = '' }: Schema): string | undefined =>
  $ref.startsWith(REF_PREFIX) ? $ref.slice(REF_PREFIX.length) : undefined;

function openSchema(schema: Schema, discriminator?: string): Schema {
  const { enum: values, const: value, additionalProperties, properties, items, ...rest } = schema;
  const opened: Schema = { ...rest };
  if (values || value !== undefined) Object.assign(opened, openValues(values ?? [value], schema.description));
  if (typeof additionalProperties === 'object')
    opened.additionalProperties = openSchema(additionalProperties as Schema);
  if (properties)
    opened.properties = mapValues(properties, (property, name) =>
      name === discriminator ? property : openSchema(property as Schema),
    );
  if (items) opened.items = openSchema(items as Schema);
  for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const)
    if (schema[keyword]) opened[keyword] = schema[keyword].map((variant) => openSchema(variant as Schema));
  return opened;
}

function openValues(values: readonly unknown[], description = ''): object {
  const named = values.filter((value) => typeof value === 'string').map((value) => `\`${value}\``);
  const list = named.every((name) => description.includes(name)) ? '' : `Known values: ${named.join(', ')}.`;
  return {
    description: [description, list, 'Clients must accept unknown values, because more values may be added.']
      .filter(Boolean)
      .join(' '),
    'x-extensible-enum': values,
  };
}

function mapValues<V, R>(record: Record<string, V>, map: (value: V, name: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}
