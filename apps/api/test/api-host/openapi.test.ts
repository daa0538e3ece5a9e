import { readFile } from 'node:fs/promises';
import { type Actor, appRouter } from '@berth/core';
import * as contract from '@berth/contract';
import { OPERATION_ACCESS } from '@berth/testing/internals';
import { type Document, examplesOf, objectsIn, openApi, type Schema } from '@berth/testing/open-api';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openApiDocument } from '../../src/api-host/openapi.ts';
import { OPENAPI_FILE, renderOpenApi } from '../../src/api-host/openapi-file.ts';
import { operationsOf } from '../../src/api-host/operations.ts';

const createDocument = () =>
  openApiDocument({ router: appRouter, baseUrl: 'https://berth.example', version: '1.2.3' }) as unknown as Document;
const api = openApi(createDocument());
const { document, operations, resolve, follow, expectValid } = api;
const deploy = document.paths['/deployments']!['post']!;

describe('the OpenAPI document', () => {
  it('contains the title, the version and the address of the API', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({
      title: 'Berth',
      version: '1.2.3',
      description: expect.stringContaining('Authorization: Bearer'),
    });
    expect(document.servers).toMatchObject([{ url: 'https://berth.example' }]);
  });

  it('OpenAPI 3.1 §4.8.23: contains the target of every reference, and refers to every component', () => {
    const refs = new Set([...objectsIn(document)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : [])));
    for (const ref of refs) expect(resolve(ref), ref).toBeTypeOf('object');
    for (const kind of ['schemas', 'responses', 'headers'] as const) {
      for (const name of Object.keys(document.components[kind]))
        expect(refs, name).toContain(`#/components/${kind}/${name}`);
    }
  });

  it('OpenAPI 3.1 §4.8.7: has plain component names, and no error components of the generator', () => {
    for (const group of Object.values(document.components))
      for (const name of Object.keys(group)) expect(name).toMatch(/^[A-Za-z0-9._-]+$/);
    expect(Object.keys(document.components.schemas).toSorted()).toEqual(
      expect.arrayContaining(['Account', 'Activity', 'CreatedDeployment', 'Deployment', 'ApiError', 'Limits', 'Plan']),
    );
    expect(JSON.stringify(document)).not.toMatch(/\berror\.[A-Z]/);
  });

  it('does not bound integers by the largest safe integer', () => {
    expect(JSON.stringify(document)).not.toContain(String(Number.MAX_SAFE_INTEGER));
    expect(JSON.stringify(document)).toContain('"minimum":1');
  });

  it('is plain JSON, and the same on every call', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
    expect(createDocument()).toEqual(document);
  });

  it('F6: does not change the shared schemas when it is generated', () => {
    const schemas = (Object.entries(contract) as [string, unknown][]).filter(
      (entry): entry is [string, z.ZodType] => entry[1] instanceof z.ZodType,
    );
    const schemaState = () =>
      schemas.map(([name, schema]) => [
        name,
        z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
        z.globalRegistry.get(schema),
      ]);
    const before = structuredClone(schemaState());
    createDocument();
    expect(schemaState()).toEqual(before);
    expect(schemas.length).toBeGreaterThan(10);
    for (const text of ['7', 'true', '']) expect(contract.PageQuery.safeParse({ limit: text }).success).toBe(false);
  });
});

describe('the operations of the OpenAPI document', () => {
  it('api §9: are all procedures that have a path, and the three routes that carry files', () => {
    const expected = operationsOf(appRouter).map(({ name, openapi }) => [name, openapi.method, openapi.path]);
    const documented = operations.map(({ name, method, path }) => [name, method, path]);
    const routes = [
      ['deployments.create', 'POST', '/deployments'],
      ['deployments.contents', 'PUT', '/uploads/{upload}/contents'],
      ['deployments.archive', 'GET', '/deployments/{deployment}/archive'],
    ];
    expect(documented.toSorted()).toEqual([...expected, ...routes].toSorted());
    expect(new Set(documented.map(([id]) => id)).size).toBe(documented.length);
  });

  it('OpenAPI 3.1 §4.8.12: declare exactly the variables of their path, all of them as required', () => {
    for (const { operationId, path, parameters = [] } of operations) {
      const inPath = parameters.filter((parameter) => parameter.in === 'path');
      expect(inPath.map(({ name }) => name).toSorted(), operationId).toEqual(
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted(),
      );
      for (const { required } of inPath) expect(required, operationId).toBe(true);
      for (const { schema, description } of parameters) {
        expect(schema, operationId).toBeTypeOf('object');
        expect(description, operationId).toMatch(/\S/);
      }
    }
  });

  it('have a summary, and a tag with a description', () => {
    const described = new Map(document.tags.map(({ name, description }) => [name, description]));
    for (const { operationId, summary, tags } of operations) {
      expect(summary, operationId).toMatch(/\S/);
      expect(tags.length, operationId).toBeGreaterThan(0);
      for (const tag of tags) expect(described.get(tag), `${operationId}: ${tag}`).toMatch(/\S/);
    }
  });

  it('api §2: have an example of every error code', () => {
    const errorMessages = [...objectsIn(document)].flatMap(({ error, message }) =>
      typeof error === 'string' && typeof message === 'string' ? [error] : [],
    );
    expect([...new Set(errorMessages)].toSorted()).toEqual(Object.keys(contract.ERROR_STATUS).toSorted());
  });

  it('api §5: name the callers of the access table, and say when a deploy token is refused', () => {
    const schemes: Record<Exclude<Actor, 'session'>, object> = {
      api: { apiKey: [] },
      deploy: { deployToken: [] },
      anonymous: {},
    };
    for (const { name, operationId, security, responses } of operations) {
      // Cookies count for no operation of REST but the download, which is also for API keys.
      const actors = (OPERATION_ACCESS as Record<string, readonly Actor[]>)[name]!.filter(
        (actor) => actor !== 'session',
      );
      expect(security.length, operationId).toBe(actors.length);
      for (const actor of actors) expect(security, operationId).toContainEqual(schemes[actor]);
      const { description } = follow(responses['403']!);
      expect(/deploy token, which cannot/.test(description), operationId).toBe(!actors.includes('deploy'));
    }
    const { apiKey, deployToken } = document.components.securitySchemes;
    expect(apiKey).toMatchObject({ type: 'http', scheme: 'bearer', bearerFormat: expect.stringMatching(/^ship-/) });
    expect(deployToken).toMatchObject({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: expect.stringMatching(/^deploy-/),
    });
  });

  it('api §9: do not include subscriptions', () => {
    expect(operations.map(({ name }) => name)).not.toContain('activities.watch');
    expect(document).not.toHaveProperty('webhooks');
    expect(JSON.stringify(document)).not.toContain('"callbacks"');
  });

  it('require a body exactly when a field of the body is required', () => {
    const required = operations.flatMap(({ name, requestBody }) => (requestBody ? [[name, requestBody.required]] : []));
    expect(Object.fromEntries(required)).toEqual({
      'deployments.create': true,
      'deployments.contents': true,
      'deployments.begin': true,
      'deployments.update': true,
      'domains.put': false,
      'domains.validate': true,
      'account.claim': true,
      'tokens.create': false,
      'account.update': true,
      'invites.create': false,
    });
  });

  it('versioning: mark the alias for older clients as deprecated', () => {
    expect(operations.filter(({ deprecated }) => deprecated).map(({ path }) => path)).toEqual(['/config']);
  });
});

describe('POST /deployments in the OpenAPI document', () => {
  const form = follow(deploy.requestBody!.content['multipart/form-data']!.schema);

  it('api §3: accepts files, their checksums, and the optional fields', () => {
    expect(Object.keys(form.properties!).toSorted()).toEqual(
      [contract.FILES_FIELD, ...contract.DEPLOY_FIELDS].toSorted(),
    );
    expect(form.required).toEqual([contract.FILES_FIELD, 'checksums']);
    expect(form.properties!['ttl']).toMatchObject({ type: 'integer', minimum: 1, maximum: contract.MAX_TTL_SECONDS });
    expect(form.properties!['checksums']).toMatchObject({ type: 'string', pattern: expect.any(String) });
  });

  it('api §3: accepts an Idempotency-Key, and documents the replay', () => {
    expect(deploy.parameters!.slice(0, 1)).toMatchObject([
      { in: 'header', name: 'Idempotency-Key', schema: { maxLength: contract.MAX_IDEMPOTENCY_KEY } },
    ]);
    expect(deploy.responses['201']!.headers).toHaveProperty('Idempotency-Replay');
    expect(deploy.responses['201']!.content!['application/json']!.schema).toEqual({
      $ref: '#/components/schemas/CreatedDeployment',
    });
  });
});

it('docs/openapi.json equals the document that the server serves, except for the address', async () => {
  const isFresh = (await readFile(OPENAPI_FILE, 'utf8')) === renderOpenApi();
  expect(isFresh, 'docs/openapi.json is stale: run `npm run openapi` and commit it').toBe(true);
});

describe('the examples in the OpenAPI document', () => {
  const mediaTypes = operations.flatMap((operation) => [
    ...Object.entries(operation.requestBody?.content ?? {}).map(([type, body]) => ({
      what: `${operation.operationId}, ${type}`,
      ...body,
    })),
    ...Object.entries(operation.responses).flatMap(([status, response]) =>
      Object.values(follow(response).content!).map((mediaType) => ({
        what: `${operation.operationId}, ${status}`,
        ...mediaType,
      })),
    ),
  ]);

  it('exist for every request body and response body, and match their schemas', () => {
    expect(mediaTypes.length).toBeGreaterThan(200);
    for (const { what, ...mediaType } of mediaTypes) {
      expect(examplesOf(mediaType).length, what).toBeGreaterThan(0);
      for (const [title, value] of examplesOf(mediaType)) expectValid(mediaType.schema, value, `${what}: ${title}`);
    }
  });

  it('match their schemas where they belong to a field or a header', () => {
    const schemas = [...objectsIn(document)].filter(
      (mediaType) => 'example' in mediaType && 'type' in mediaType && !('schema' in mediaType),
    ) as unknown as Schema[];
    expect(schemas.length).toBeGreaterThan(20);
    for (const schema of schemas) expectValid(schema, schema.example, api.pointerOf(schema));
    for (const [name, { schema, example }] of Object.entries(document.components.headers))
      if (example !== undefined) expectValid(schema, example, name);
  });

  it('have only documented fields: an unknown field, a missing field and a wrong type do not match', () => {
    const { schema } = follow(document.paths['/ping']!['get']!.responses['200']!).content!['application/json']!;
    const isValid = (value: unknown) => {
      try {
        api.expectValid(schema, value, 'a ping');
        return true;
      } catch {
        return false;
      }
    };
    expect([{ timestamp: 1 }, { timestamp: 1, x: 1 }, {}, { timestamp: '1' }, []].map(isValid)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
