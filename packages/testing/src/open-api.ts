import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import { OPERATION_ACCESS } from './internals.ts';

/** The fields of a JSON schema that the tests read. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  discriminator?: { propertyName: string; mapping: Record<string, string> };
  additionalProperties?: boolean | Schema;
  nullable?: boolean;
  enum?: unknown[];
  const?: unknown;
  description?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  example?: unknown;
}
export interface Media {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}
interface Header {
  $ref?: string;
  schema: Schema;
  required?: boolean;
  example?: unknown;
}
interface Response {
  $ref?: string;
  description: string;
  headers?: Record<string, Header>;
  content?: Record<string, Media>;
}
export interface Parameter {
  in: 'path' | 'query' | 'header';
  name: string;
  description?: string;
  required?: boolean;
  schema: Schema;
}
interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  deprecated?: boolean;
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, Response>;
}
export interface Document {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    securitySchemes: Record<string, { type: string; scheme: string; bearerFormat: string; description: string }>;
    schemas: Record<string, Schema>;
    headers: Record<string, Header>;
    responses: Record<string, Response>;
  };
}

/** An operation with its name in the access table, its route, and its place in the document. */
export type PlacedOperation = Operation & { name: string; path: string; method: string; pointer: string };

/** An OpenAPI document with helpers. */
export interface OpenApi {
  document: Document;
  operations: PlacedOperation[];
  /** Returns the target of a local reference. */
  resolve<T>(ref: string): T | undefined;
  /** Resolves the `$ref` of an object, if present. A description beside the `$ref` takes precedence. */
  follow<T extends { $ref?: string }>(value: T): T;
  /** Returns the JSON pointer of an object in the document. @throws when the object is not part of the document. */
  pointerOf(value: object): string;
  /**
   * Fails the test unless the value matches the schema and has only documented fields and values, although the schemas of
   * responses are open. The failure names `what`.
   */
  expectValid(schema: Schema, value: unknown, what: string): void;
  /** Whether the value matches the schema and has only documented fields and values. */
  isValid(schema: Schema, value: unknown): boolean;
}

/** The names in the access table, by their operation ids in lower case. */
const NAMES = new Map(Object.keys(OPERATION_ACCESS).map((name) => [name.replaceAll('.', '').toLowerCase(), name]));

/** Reads a document. A schema keyword that JSON Schema 2020-12 does not know is an error. */
export function openApi(document: Document): OpenApi {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
  addFormats.default(ajv);
  // OpenAPI 3.1 adds `example` and `discriminator` to JSON Schema. The keyword `components` holds the referenced schemas.
  ajv.addVocabulary(['example', 'discriminator', 'components']);
  const components = closeSchemas({ schemas: document.components.schemas });
  const pointers = new Map<object, string>();
  indexObjects(document, '', pointers);
  const compiled = new Map<string, ValidateFunction>();

  const resolve = <T>(ref: string) =>
    ref
      .replace(/^#\//, '')
      .split('/')
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document) as T | undefined;
  const pointerOf = (value: object) => {
    const pointer = pointers.get(value);
    if (pointer === undefined) throw new Error('The object is not part of the document.');
    return pointer;
  };
  const validatorOf = (schema: Schema) => {
    const pointer = pointerOf(schema);
    let validate = compiled.get(pointer);
    if (!validate) {
      validate = ajv.compile({ ...closeSchemas(schema), components });
      compiled.set(pointer, validate);
    }
    return validate;
  };
  return {
    document,
    operations: Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        ...operation,
        name: NAMES.get(operation.operationId.toLowerCase()) ?? operation.operationId,
        path,
        method: method.toUpperCase(),
        pointer: pointerOf(operation),
      })),
    ),
    resolve,
    follow(value) {
      if (value.$ref === undefined) return value;
      const target = resolve<typeof value>(value.$ref)!;
      return Object.keys(value).length === 1 ? target : { ...target, ...value };
    },
    pointerOf,
    isValid: (schema, value) => validatorOf(schema)(value),
    expectValid(schema, value, what) {
      const validate = validatorOf(schema);
      validate(value);
      expect([what, validate.errors ?? null, value]).toEqual([what, null, value]);
    },
  };
}

/** Copies schemas so that only documented fields and values are valid. */
function closeSchemas<T>(schemas: T): T {
  return JSON.parse(JSON.stringify(schemas), (_key, value) => {
    if (typeof value !== 'object' || value === null) return value;
    const { 'x-extensible-enum': values, ...schema } = value;
    if (Array.isArray(value)) return value;
    return {
      ...schema,
      ...(values ? { enum: values } : {}),
      ...(schema.type === 'object' && schema.properties ? { additionalProperties: false, ...schema } : {}),
    };
  }) as T;
}

function indexObjects(value: unknown, pointer: string, pointers: Map<object, string>): void {
  if (typeof value !== 'object' || value === null) return;
  pointers.set(value, pointer);
  for (const [name, member] of Object.entries(value))
    indexObjects(member, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, pointers);
}

/** Lists the examples of a media type with their titles. */
export function examplesOf({ example, examples = {} }: Media): [title: string, value: unknown][] {
  const titled = Object.entries(examples).map(([title, { value }]): [string, unknown] => [title, value]);
  return example === undefined ? titled : [['the example', example], ...titled];
}

/** Yields a value and every object inside the value. */
export function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  yield value as Record<string, unknown>;
  for (const member of Object.values(value)) yield* objectsIn(member);
}
