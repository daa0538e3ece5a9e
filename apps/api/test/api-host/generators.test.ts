import { Validator } from '@seriousme/openapi-schema-validator';
import { appRouter } from '@berth/core';
import type { Document, Schema } from '@berth/testing/open-api';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../src/api-host/openapi.ts';
import { generatorFaults } from './generator-rules.ts';

const generate = (openApiVersion: '3.0.3' | '3.1.0') =>
  openApiDocument({
    router: appRouter,
    baseUrl: 'https://berth.example',
    version: '1.2.3',
    openApiVersion,
  }) as unknown as Document;
const DOCUMENTS = { '3.0.3': generate('3.0.3'), '3.1.0': generate('3.1.0') };
/** Returns a copy of the document, which a test can change. */
const createDocument = (version: keyof typeof DOCUMENTS) => structuredClone(DOCUMENTS[version]);

describe.each(['3.0.3', '3.1.0'] as const)('api §9: the OpenAPI %s document', (version) => {
  it('follows every rule for generated clients', () => {
    expect(generatorFaults(createDocument(version))).toEqual([]);
  });

  it('is valid for an independent validator', async () => {
    const validator = new Validator();
    expect(await validator.validate({ ...createDocument(version) })).toEqual({ valid: true });
    expect(validator.version).toBe(version.slice(0, 3));
    expect(() => validator.resolveRefs()).not.toThrow();
  });

  it('is rejected by the validator if it contains an unknown method', async () => {
    const document = { ...createDocument(version), paths: { '/ping': { fetch: {} } } };
    expect(await new Validator().validate(document)).toMatchObject({ valid: false });
  });
});

it('api §9: both documents have the same operations and statuses, and schemas of the same names', () => {
  const namesOf = ({ paths, components, servers }: Document) => ({
    servers,
    schemas: Object.keys(components.schemas),
    operations: Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId, responses }]) => [
        path,
        method,
        operationId,
        Object.keys(responses),
      ]),
    ),
  });
  const { schemas: olderSchemas, ...older } = namesOf(createDocument('3.0.3'));
  const { schemas, ...newer } = namesOf(createDocument('3.1.0'));
  expect(older).toEqual(newer);
  // OpenAPI 3.0 cannot refer to a schema that may be null, so such a schema is part of the schemas that use it.
  expect(olderSchemas.filter((name) => !schemas.includes(name))).toEqual([]);
});

/** Changes to the document, each with the first fault that they cause. */
const FAULTS: [fault: string, change: (document: Document) => void][] = [
  [
    'platformPing, 200: the body has no name. Give its schema a .meta({ id }).',
    (document) => setResponse(document, '200', { type: 'object', properties: {} }),
  ],
  [
    'tokensCreate, request: the body has no name. Give its schema a .meta({ id }).',
    ({ paths }) =>
      void (paths['/tokens']!['post']!.requestBody!.content['application/json']!.schema = { type: 'object' }),
  ],
  [
    'tokensCreate, request, TokenRequest.ttl: a field with a default would be required. Describe the default.',
    ({ components }) => void Object.assign(components.schemas['TokenRequest']!.properties!['ttl']!, { default: 60 }),
  ],
  [
    'platformPing, 200, Ping: additionalProperties must not be false.',
    ({ components }) => void (components.schemas['Ping']!.additionalProperties = false),
  ],
  [
    'platformPing, 200, Ping.state: an enumeration must be an x-extensible-enum.',
    (document) => setField(document, 'state', { type: 'string', enum: ['up', 'down'] }),
  ],
  [
    'platformPing, 200, Ping.state: an enumeration must be an x-extensible-enum.',
    (document) => setField(document, 'state', { type: 'string', const: 'up' }),
  ],
  [
    'platformPing, 200, Ping.states: an enumeration must be an x-extensible-enum.',
    (document) => setField(document, 'states', { type: 'array', items: { type: 'string', enum: ['up'] } }),
  ],
  [
    'platformPing, 200, Ping.hosts: the entries have no name. Give their schema a .meta({ id }).',
    (document) => setField(document, 'hosts', { type: 'array', items: { type: 'object', properties: {} } }),
  ],
  [
    'Map: the schema has the name of a built-in class. Give it another id.',
    ({ components }) => void (components.schemas['Map'] = { type: 'object' }),
  ],
  [
    'platform.ping: an operation id must be one word.',
    ({ paths }) => void (paths['/ping']!['get']!.operationId = 'platform.ping'),
  ],
  ['platformPing: the operation needs a description.', ({ paths }) => void delete paths['/ping']!['get']!.description],
  [
    'ApiError: must be a union of all errors, which `error` discriminates.',
    ({ components }) => void components.schemas['ApiError']!.oneOf!.pop(),
  ],
  [
    'platformPing, 403: the response must have the schema of its error.',
    (document) => setResponse(document, '403', { $ref: '#/components/schemas/ApiError' }),
  ],
  [
    'type string, null: OpenAPI 3.0 has nullable instead.',
    (document) => setField(document, 'state', { type: ['string', 'null'] }),
  ],
  [
    'nullable: has no effect in OpenAPI 3.0 without a type.',
    (document) => setField(document, 'state', { nullable: true, description: 'The state.' }),
  ],
  [
    '$ref: OpenAPI 3.0 ignores everything beside it.',
    (document) => setField(document, 'usage', { $ref: '#/components/schemas/Usage', description: 'The usage.' }),
  ],
];

it.each(FAULTS)('api §9: a document that breaks a rule for generated clients is detected: %s', (fault, change) => {
  const document = createDocument('3.0.3');
  change(document);
  expect(generatorFaults(document)[0]).toBe(fault);
});

function setField({ components }: Document, name: string, schema: Schema): void {
  components.schemas['Ping']!.properties![name] = schema;
}

function setResponse({ paths }: Document, status: string, schema: Schema): void {
  const { responses } = paths['/ping']!['get']!;
  responses[status] = { description: 'A response.', content: { 'application/json': { schema } } };
}
