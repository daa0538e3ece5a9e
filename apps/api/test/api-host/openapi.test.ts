import { type Actor, appRouter, FOREIGN_RESOURCE_ACCESS } from '@berth/core';
import * as contract from '@berth/contract';
import { OPERATION_ACCESS } from '@berth/testing/internals';
import { type Document, examplesOf, objectsIn, openApi } from '@berth/testing/open-api';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openApiDocument } from '../../src/api-host/openapi.ts';
import { operationsOf } from '../../src/api-host/operations.ts';

const create = () =>
  openApiDocument({ router: appRouter, baseUrl: 'https://berth.example', version: '1.2.3' }) as unknown as Document;
const { document, operations, resolve, follow } = openApi(create());
const deploy = document.paths['/deployments']!['post']!;

describe('the OpenAPI document', () => {
  it('contains its title, the version and the address of the API', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({
      title: 'Berth',
      version: '1.2.3',
      description: expect.stringContaining('Authorization: Bearer'),
    });
    expect(document.servers).toMatchObject([{ url: 'https://berth.example' }]);
  });

  it('OpenAPI 3.1 §4.8.23: resolves every reference, and refers to every component', () => {
    const refs = new Set([...objectsIn(document)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : [])));
    for (const ref of refs) expect(resolve(ref), ref).toBeTypeOf('object');
    for (const kind of ['schemas', 'responses', 'headers'] as const) {
      for (const name of Object.keys(document.components[kind]))
        expect(refs, name).toContain(`#/components/${kind}/${name}`);
    }
  });

  it('OpenAPI 3.1 §4.8.7: has plain component names, and none of the error components of the generator', () => {
    for (const group of Object.values(document.components))
      for (const name of Object.keys(group)) expect(name).toMatch(/^[A-Za-z0-9._-]+$/);
    expect(Object.keys(document.components.schemas).toSorted()).toEqual(
      expect.arrayContaining(['Account', 'Activity', 'CreatedDeployment', 'Deployment', 'Error', 'Limits', 'Plan']),
    );
    expect(JSON.stringify(document)).not.toContain('error.');
  });

  it('contains no bounds that only say that a number is an integer', () => {
    expect(JSON.stringify(document)).not.toContain(String(Number.MAX_SAFE_INTEGER));
    expect(JSON.stringify(document)).toContain('"minimum":1');
  });

  it('is plain JSON, the same on every call', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
    expect(create()).toEqual(document);
  });

  it('F6: leaves the shared schemas unchanged', () => {
    const schemas = (Object.entries(contract) as [string, unknown][]).filter(
      (entry): entry is [string, z.ZodType] => entry[1] instanceof z.ZodType,
    );
    const state = () =>
      schemas.map(([name, schema]) => [
        name,
        z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
        z.globalRegistry.get(schema),
      ]);
    const before = structuredClone(state());
    create();
    expect(state()).toEqual(before);
    expect(schemas.length).toBeGreaterThan(10);
    for (const text of ['7', 'true', '']) expect(contract.PageQuery.safeParse({ limit: text }).success).toBe(false);
  });
});

describe('the operations of the OpenAPI document', () => {
  it('api §9: are the procedures with a path, each with its own name, and the two routes for files', () => {
    const wanted = operationsOf(appRouter).map(({ name, openapi }) => [name, openapi.method, openapi.path]);
    const found = operations.map(({ operationId, method, path }) => [operationId, method, path]);
    const routes = [
      ['deployments.create', 'POST', '/deployments'],
      ['deployments.contents', 'PUT', '/uploads/{upload}/contents'],
    ];
    expect(found.toSorted()).toEqual([...wanted, ...routes].toSorted());
    expect(new Set(found.map(([id]) => id)).size).toBe(found.length);
  });

  it('OpenAPI 3.1 §4.8.12: declare exactly the variables of their path, as required', () => {
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

  it('have a summary and a tag with a description', () => {
    const described = new Map(document.tags.map(({ name, description }) => [name, description]));
    for (const { operationId, summary, tags } of operations) {
      expect(summary, operationId).toMatch(/\S/);
      expect(tags.length, operationId).toBeGreaterThan(0);
      for (const tag of tags) expect(described.get(tag), `${operationId}: ${tag}`).toMatch(/\S/);
    }
  });

  it('api §2: document the status of success from the metadata, and 201 if they can create', () => {
    for (const { operationId, responses } of operations) {
      const { status, creates } = operationsOf(appRouter).find(({ name }) => name === operationId) ?? {
        status: operationId === 'deployments.contents' ? 200 : 201,
      };
      expect(
        Object.keys(responses).filter((code) => Number(code) < 400),
        operationId,
      ).toEqual(creates ? [String(status), '201'] : [String(status)]);
    }
    expect(Object.keys(document.paths['/domains/{domain}']!['put']!.responses)).toContain('201');
    expect(document.paths['/deployments/{deployment}']!['delete']!.responses).toHaveProperty('202');
    expect(document.paths['/config']!['get']!.responses['301']!.headers).toHaveProperty('Location');
  });

  it('api §2: document every error with the one body, examples, the request id and the headers of the error', () => {
    for (const { operationId, responses } of operations) {
      for (const [status, response] of Object.entries(responses)) {
        const { description, headers, content } = follow(response);
        expect(description, `${operationId} ${status}`).toMatch(/\S/);
        for (const name of ['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'])
          expect(headers, `${operationId} ${status}`).toHaveProperty(name);
        if (Number(status) < 400) continue;
        const media = content!['application/json']!;
        expect(media.schema).toEqual({ $ref: '#/components/schemas/Error' });
        const values = examplesOf(media).map(([, value]) => contract.ErrorBody.strict().parse(value));
        expect(values.length).toBeGreaterThan(0);
        for (const value of values) {
          expect(contract.ERROR_STATUS[value.error]).toBe(value.status);
          if (status !== 'default') expect(value.status).toBe(Number(status));
        }
        if (status === '401') expect(headers).toHaveProperty('WWW-Authenticate');
        if (status === '429' || status === '503') expect(headers).toHaveProperty('Retry-After');
      }
    }
  });

  it('api §2: have examples of every error tag', () => {
    const errorMessages = [...objectsIn(document)].flatMap(({ error, message }) =>
      typeof error === 'string' && typeof message === 'string' ? [error] : [],
    );
    expect([...new Set(errorMessages)].toSorted()).toEqual(Object.keys(contract.ERROR_STATUS).toSorted());
  });

  it.each(operations)('api §2: $operationId documents the errors that it can answer with', (operation) => {
    const { operationId, parameters = [], requestBody, responses } = operation;
    const reasons = operationsOf(appRouter).find(({ name }) => name === operationId)?.openapi.errorResponses ?? {};
    const isRoute = ['deployments.create', 'deployments.contents'].includes(operationId);
    const statuses = isRoute ? [422] : Object.keys(reasons).map(Number);
    const expected = [
      401,
      403,
      429,
      500,
      503,
      ...(parameters.length > 0 || requestBody ? [400] : []),
      ...(requestBody ? [408, 413] : []),
      ...((FOREIGN_RESOURCE_ACCESS as Record<string, string>)[operationId] === 'not_found' ? [404] : []),
      ...statuses,
    ];
    const found = Object.keys(responses).filter((status) => !(Number(status) < 400));
    expect(found).toEqual(
      [...new Set(expected)]
        .toSorted((a, b) => a - b)
        .map(String)
        .concat('default'),
    );
  });

  it('api §5: document who may call them according to the access table, and why a deploy token may not', () => {
    const schemes: Record<Actor, object> = { api: { apiKey: [] }, deploy: { deployToken: [] }, anonymous: {} };
    for (const { operationId, security, responses } of operations) {
      const row = (OPERATION_ACCESS as Record<string, readonly Actor[]>)[operationId]!;
      expect(security.length, operationId).toBe(row.length);
      for (const actor of row) expect(security, operationId).toContainEqual(schemes[actor]);
      const { description } = follow(responses['403']!);
      expect(/deploy token, which cannot/.test(description), operationId).toBe(!row.includes('deploy'));
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
    expect(operations.map(({ operationId }) => operationId)).not.toContain('activities.watch');
    expect(document).not.toHaveProperty('webhooks');
    expect(JSON.stringify(document)).not.toContain('"callbacks"');
  });

  it('require a body when one of its fields is required', () => {
    const required = operations.flatMap(({ operationId, requestBody }) =>
      requestBody ? [[operationId, requestBody.required]] : [],
    );
    expect(Object.fromEntries(required)).toEqual({
      'deployments.create': true,
      'deployments.contents': true,
      'deployments.begin': true,
      'deployments.update': true,
      'domains.put': false,
      'domains.validate': true,
      'account.claim': true,
      'tokens.create': false,
    });
  });

  it('versioning: mark the alias for older clients as deprecated', () => {
    expect(operations.filter(({ deprecated }) => deprecated).map(({ path }) => path)).toEqual(['/config']);
  });
});

describe('POST /deployments in the OpenAPI document', () => {
  const form = deploy.requestBody!.content['multipart/form-data']!.schema;

  it('api §3: takes files, their checksums, and the optional fields', () => {
    expect(Object.keys(form.properties!).toSorted()).toEqual(
      [contract.FILES_FIELD, ...contract.DEPLOY_FIELDS].toSorted(),
    );
    expect(form.required).toEqual([contract.FILES_FIELD, 'checksums']);
    expect(form.properties!['ttl']).toMatchObject({ type: 'integer', minimum: 1, maximum: contract.MAX_TTL_SECONDS });
    expect(form.properties!['checksums']).toMatchObject({ type: 'string', pattern: expect.any(String) });
  });

  it('api §3: takes an Idempotency-Key, and documents the replay', () => {
    expect(deploy.parameters).toMatchObject([
      { in: 'header', name: 'Idempotency-Key', schema: { maxLength: contract.MAX_IDEMPOTENCY_KEY } },
    ]);
    expect(deploy.responses['201']!.headers).toHaveProperty('Idempotency-Replay');
    expect(deploy.responses['201']!.content!['application/json']!.schema).toEqual({
      $ref: '#/components/schemas/CreatedDeployment',
    });
  });

  it('api §3: documents each of these errors', () => {
    expect(Object.keys(deploy.responses)).toEqual([
      '201',
      '400',
      '401',
      '403',
      '408',
      '413',
      '422',
      '429',
      '500',
      '503',
      'default',
    ]);
  });

  it('has examples that match the schemas', () => {
    const { checksums, labels } = form.properties as Record<string, { example: string }>;
    expect(contract.Checksums.safeParse(JSON.parse(checksums!.example)).success).toBe(true);
    expect(contract.Labels.safeParse(JSON.parse(labels!.example)).success).toBe(true);
  });
});
