import { ACCESS, appRouter } from '@berth/core';
import * as contract from '@berth/contract';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openApiDocument } from '../../src/api-host/openapi.ts';
import { operationsOf } from '../../src/api-host/operations.ts';

interface Media {
  schema: object;
  example?: unknown;
}
interface Answer {
  $ref?: string;
  description?: string;
  headers?: Record<string, object>;
  content?: Record<string, Media>;
}
interface Parameter {
  in: string;
  name: string;
  required?: boolean;
  schema?: object;
}
interface DocumentedOperation {
  operationId: string;
  summary: string;
  tags: string[];
  security: object[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: { properties: Record<string, object>; required: string[] } }> };
  responses: Record<string, Answer>;
}
interface Document {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: Record<string, Record<string, Answer & { properties?: object }>>;
}

const create = () =>
  openApiDocument({ router: appRouter, baseUrl: 'https://berth.example', version: '1.2.3' }) as unknown as Document;
const document = create();
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => Object.assign({ path, method }, operation)),
);
const deploy = document.paths['/deployments']!['post']!;

/** Every object in a value, and the value itself. */
function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  yield value as Record<string, unknown>;
  for (const member of Object.values(value)) yield* objectsIn(member);
}

function resolve(ref: string): Record<string, unknown> | undefined {
  const steps = ref
    .replace(/^#\//, '')
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document) as
    | Record<string, unknown>
    | undefined;
}

const answerOf = (answer: Answer): Answer => (answer.$ref === undefined ? answer : resolve(answer.$ref)!);

describe('the document', () => {
  it('says what it is, of which version, and where the API is reached', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({
      title: 'Berth',
      version: '1.2.3',
      description: expect.stringContaining('Authorization: Bearer'),
    });
    expect(document.servers).toEqual([{ url: 'https://berth.example' }]);
  });

  it('OpenAPI 3.1 §4.8.23: every reference leads to something, and every component is referred to', () => {
    const refs = new Set([...objectsIn(document)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : [])));
    for (const ref of refs) expect(resolve(ref), ref).toBeTypeOf('object');
    for (const kind of ['schemas', 'responses', 'headers']) {
      for (const name of Object.keys(document.components[kind]!))
        expect(refs, name).toContain(`#/components/${kind}/${name}`);
    }
  });

  it('OpenAPI 3.1 §4.8.7: components have plain names, and none is left of the generator’s own errors', () => {
    for (const group of Object.values(document.components))
      for (const name of Object.keys(group)) expect(name).toMatch(/^[A-Za-z0-9._-]+$/);
    expect(Object.keys(document.components['schemas']!).toSorted()).toEqual(
      expect.arrayContaining(['Account', 'Activity', 'CreatedDeployment', 'Deployment', 'Error', 'Limits', 'Plan']),
    );
    expect(JSON.stringify(document)).not.toContain('error.');
  });

  it('holds no bound that only says that a number is whole', () => {
    expect(JSON.stringify(document)).not.toContain(String(Number.MAX_SAFE_INTEGER));
    expect(JSON.stringify(document)).toContain('"minimum":1');
  });

  it('is plain JSON, the same whenever it is made', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
    expect(create()).toEqual(document);
  });

  it('F6: the shared schemas are what they were before it was made', () => {
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

describe('operations', () => {
  it('contract §9: are the procedures with a path, each by its own name, and the deploy route', () => {
    const wanted = operationsOf(appRouter).map(({ name, openapi }) => [
      name,
      openapi.method.toLowerCase(),
      openapi.path,
    ]);
    const found = operations.map(({ operationId, method, path }) => [operationId, method, path]);
    expect(found.toSorted()).toEqual([...wanted, ['deployments.create', 'post', '/deployments']].toSorted());
    expect(new Set(found.map(([id]) => id)).size).toBe(found.length);
  });

  it('OpenAPI 3.1 §4.8.12: declare exactly the variables of their path, as required', () => {
    for (const { operationId, path, parameters = [] } of operations) {
      const inPath = parameters.filter((parameter) => parameter.in === 'path');
      expect(inPath.map(({ name }) => name).toSorted(), operationId).toEqual(
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted(),
      );
      for (const { required } of inPath) expect(required, operationId).toBe(true);
      for (const { schema } of parameters) expect(schema, operationId).toBeTypeOf('object');
    }
  });

  it('have a summary and a tag that is described', () => {
    const described = new Map(document.tags.map(({ name, description }) => [name, description]));
    for (const { operationId, summary, tags } of operations) {
      expect(summary, operationId).toMatch(/\S/);
      expect(tags.length, operationId).toBeGreaterThan(0);
      for (const tag of tags) expect(described.get(tag), `${operationId}: ${tag}`).toMatch(/\S/);
    }
  });

  it('service-api part 7: answer one status of success, the one that the meta names', () => {
    for (const { operationId, responses } of operations) {
      const expected = operationsOf(appRouter).find(({ name }) => name === operationId)?.status ?? 201;
      expect(
        Object.keys(responses).filter((status) => Number(status) < 400),
        operationId,
      ).toEqual([String(expected)]);
    }
    expect(document.paths['/deployments/{deployment}']!['delete']!.responses).toHaveProperty('202');
    expect(document.paths['/config']!['get']!.responses['301']!.headers).toHaveProperty('Location');
  });

  it('contract §2: answer every error with the one body, an example of it, the request id and its own headers', () => {
    for (const { operationId, responses } of operations) {
      for (const [status, reference] of Object.entries(responses)) {
        const { description, headers, content } = answerOf(reference);
        expect(description, `${operationId} ${status}`).toMatch(/\S/);
        expect(headers, `${operationId} ${status}`).toHaveProperty('X-Request-Id');
        if (Number(status) < 400) continue;
        const { schema, example } = content!['application/json']!;
        expect(schema).toEqual({ $ref: '#/components/schemas/Error' });
        expect(contract.ErrorBody.parse(example)).toMatchObject({ status: Number(status) });
        expect(contract.ERROR_STATUS[contract.ErrorBody.parse(example).error]).toBe(Number(status));
        if (status === '401') expect(headers).toHaveProperty('WWW-Authenticate');
        if (status === '429' || status === '503') expect(headers).toHaveProperty('Retry-After');
      }
    }
  });

  it('contract §2: name every error they can answer with', () => {
    for (const { operationId, requestBody, responses } of operations) {
      const meta = operationsOf(appRouter).find(({ name }) => name === operationId)?.openapi.errorResponses ?? [];
      const body = requestBody ? [400, 408, 413] : [];
      for (const status of [...meta, ...body, 429, 500, 503])
        expect(responses, operationId).toHaveProperty(String(status));
    }
  });

  it('service-api part 5: want a credential where the table of who may call what wants one', () => {
    for (const { operationId, security } of operations) {
      const open = (ACCESS as Record<string, readonly string[]>)[operationId]!.includes('anonymous');
      if (operationId === 'deployments.create') expect(security).toEqual([{}, { bearer: [] }]);
      else expect(security, operationId).toEqual(open ? [] : [{ bearer: [] }]);
    }
    expect(document.components['securitySchemes']).toMatchObject({ bearer: { type: 'http', scheme: 'bearer' } });
  });
});

describe('POST /deployments', () => {
  const form = deploy.requestBody!.content['multipart/form-data']!.schema;

  it('service-api part 4, contract §3: takes files, their checksums, and the optional fields', () => {
    expect(Object.keys(form.properties).toSorted()).toEqual(
      [contract.FILES_FIELD, ...contract.DEPLOY_FIELDS].toSorted(),
    );
    expect(form.required).toEqual([contract.FILES_FIELD, 'checksums']);
    expect(form.properties['ttl']).toMatchObject({ type: 'integer', minimum: 1, maximum: contract.MAX_TTL_SECONDS });
    expect(form.properties['checksums']).toMatchObject({
      type: 'string',
      contentMediaType: 'application/json',
      contentSchema: { type: 'array' },
    });
  });

  it('service-api part 8: takes an Idempotency-Key, and tells a replay', () => {
    expect(deploy.parameters).toMatchObject([
      { in: 'header', name: 'Idempotency-Key', schema: { maxLength: contract.MAX_IDEMPOTENCY_KEY } },
    ]);
    expect(deploy.responses['201']!.headers).toHaveProperty('Idempotency-Replay');
    expect(deploy.responses['201']!.content!['application/json']!.schema).toEqual({
      $ref: '#/components/schemas/CreatedDeployment',
    });
  });

  it('contract §3: can be refused in each of these ways', () => {
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
    ]);
  });

  it('its examples are what the schemas take', () => {
    const { checksums, labels } = form.properties as Record<string, { example: string }>;
    expect(contract.Checksums.safeParse(JSON.parse(checksums!.example)).success).toBe(true);
    expect(contract.Labels.safeParse(JSON.parse(labels!.example)).success).toBe(true);
  });
});
