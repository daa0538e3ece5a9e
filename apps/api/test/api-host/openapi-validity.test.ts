import { Validator } from '@seriousme/openapi-schema-validator';
import { appRouter } from '@berth/core';
import { type Document, examplesOf, objectsIn, openApi, type Schema } from '@berth/testing/open-api';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../src/api-host/openapi.ts';
import { readOpenApiFile, renderOpenApi } from '../../src/api-host/openapi-file.ts';
import { VERSION } from '../../src/version.ts';

const created = openApiDocument({ router: appRouter, baseUrl: 'http://localhost:4000', version: VERSION });
const api = openApi(created as unknown as Document);
const { document, operations, follow, expectValid } = api;

describe('docs/openapi.json', () => {
  it('is what the server serves, except for the address: `npm run openapi` updates it', async () => {
    const isFresh = (await readOpenApiFile()) === renderOpenApi();
    expect(isFresh, 'docs/openapi.json is stale: run `npm run openapi` and commit it').toBe(true);
    expect(JSON.parse(renderOpenApi())).toEqual(document);
  });
});

describe('an independent validator', () => {
  const validate = (value: object) => new Validator().validate(structuredClone(value) as Record<string, unknown>);

  it('accepts the document as OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document) as unknown as Record<string, unknown>)).toEqual({
      valid: true,
    });
    expect(validator.version).toBe('3.1');
    expect(() => validator.resolveRefs()).not.toThrow();
  });

  it.each<[string, (copy: Document) => unknown]>([
    [
      'an answer without a description',
      (copy) =>
        delete (copy.paths['/ping']!['get']!.responses['200'] as object as { description?: string }).description,
    ],
    [
      'a parameter in an invalid place',
      (copy) => Object.assign(copy.paths['/tokens']!['get']!.parameters![0]!, { in: 'body' }),
    ],
    ['an unknown method', (copy) => Object.assign(copy.paths['/ping']!, { fetch: {} })],
    [
      'a security scheme without a type',
      (copy) => Object.assign(copy.components.securitySchemes['apiKey']!, { type: 'key' }),
    ],
  ])('finds %s', async (_, spoil) => {
    const copy = structuredClone(document);
    spoil(copy);
    expect(await validate(copy)).toMatchObject({ valid: false });
  });
});

describe('the examples', () => {
  const media = operations.flatMap((operation) => [
    ...Object.entries(operation.requestBody?.content ?? {}).map(([type, body]) => ({
      what: `${operation.operationId}, ${type}`,
      ...body,
    })),
    ...Object.entries(operation.responses).flatMap(([status, response]) =>
      Object.values(follow(response).content!).map((answer) => ({
        what: `${operation.operationId}, ${status}`,
        ...answer,
      })),
    ),
  ]);

  it('exist for every request and response body, and match its schema', () => {
    expect(media.length).toBeGreaterThan(200);
    for (const { what, ...each } of media) {
      expect(examplesOf(each).length, what).toBeGreaterThan(0);
      for (const [title, value] of examplesOf(each)) expectValid(each.schema, value, `${what}: ${title}`);
    }
  });

  it('of fields and headers match their schemas', () => {
    const schemas = [...objectsIn(document)].filter(
      (each) => 'example' in each && 'type' in each && !('schema' in each),
    ) as unknown as Schema[];
    expect(schemas.length).toBeGreaterThan(20);
    for (const schema of schemas) expectValid(schema, schema.example, api.pointerOf(schema));
    for (const [name, { schema, example }] of Object.entries(document.components.headers))
      if (example !== undefined) expectValid(schema, example, name);
  });

  it('are compared exactly: an unknown field, a missing field and another type are found', () => {
    const { schema } = follow(document.paths['/ping']!['get']!.responses['200']!).content!['application/json']!;
    const isValid = (value: unknown) => api.isValid(schema, value);
    expect([{ timestamp: 1 }, { timestamp: 1, x: 1 }, {}, { timestamp: '1' }, []].map(isValid)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
