import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';

/** The fields of a JSON schema that the tests read. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
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

/** An operation with its route, and its place in the document. */
export type PlacedOperation = Operation & { path: string; method: string; pointer: string };

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
  /** Fails the test unless the value matches the schema and has no other fields. The failure names `what`. */
  expectValid(schema: Schema, value: unknown, what: string): void;
  /** Whether the value matches the schema. */
  isValid(schema: Schema, value: unknown): boolean;
}

/** Reads a document. A schema keyword that JSON Schema 2020-12 does not know is an error. */
export function openApi(document: Document): OpenApi {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
  addFormats.default(ajv);
  // OpenAPI 3.1 adds the keyword `example` to JSON Schema, and generators read `x-extensible-enum`. The keyword `components`
  // holds the referenced schemas.
  ajv.addVocabulary(['example', 'x-extensible-enum', 'components']);
  const components = { schemas: document.components.schemas };
  const pointers = new Map<object, string>();
  index(document, '', pointers);
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
  const validatorOf = (schema: Schema, { closed }: { closed: boolean }) => {
    const key = `${pointerOf(schema)} ${closed}`;
    let validate = compiled.get(key);
    if (!validate) {
      const whole = { ...schema, components };
      validate = ajv.compile(closed ? closeObjects(whole) : whole);
      compiled.set(key, validate);
    }
    return validate;
  };
  return {
    document,
    operations: Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        ...operation,
        path,
        method: method.toUpperCase(),
        pointer: pointerOf(operation),
      })),
    ),
    resolve,
    follow: (value) => (value.$ref === undefined ? value : { ...resolve<typeof value>(value.$ref)!, ...value }),
    pointerOf,
    isValid: (schema, value) => validatorOf(schema, { closed: false })(value),
    expectValid(schema, value, what) {
      const validate = validatorOf(schema, { closed: true });
      validate(value);
      expect([what, validate.errors ?? null, value]).toEqual([what, null, value]);
    },
  };
}

/** Copies a schema, and forbids fields that it does not list. */
function closeObjects(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (_, value: unknown) =>
    isObjectSchema(value) ? { additionalProperties: false, ...value } : value,
  );
}

function isObjectSchema(value: unknown): value is object {
  const { type, properties } = Object(value) as { type?: unknown; properties?: unknown };
  return type === 'object' && typeof properties === 'object';
}

function index(value: unknown, pointer: string, pointers: Map<object, string>): void {
  if (typeof value !== 'object' || value === null) return;
  pointers.set(value, pointer);
  for (const [name, member] of Object.entries(value))
    index(member, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, pointers);
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
