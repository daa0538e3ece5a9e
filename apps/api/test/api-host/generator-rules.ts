import { ERROR_STATUS } from '@berth/contract';
import { type Document, type Media, objectsIn, type OpenApi, openApi, type Schema } from '@berth/testing/open-api';

const REF_PREFIX = '#/components/schemas/';

/** A body of a request or a response. */
interface Body {
  what: string;
  type: string;
  schema: Schema;
  isResponse: boolean;
}

/**
 * Returns what makes generated clients unpleasant, or breaks them when the server gains a field or a value. Each text says
 * what to change. Source: api §9.
 */
export function generatorFaults(document: Document): string[] {
  const api = openApi(document);
  const bodies = bodiesOf(api);
  return [
    ...namelessBodies(bodies),
    ...bodies.filter(({ isResponse }) => !isResponse).flatMap((body) => defaultsIn(api, body)),
    ...bodies.filter(({ isResponse }) => isResponse).flatMap((body) => closedSchemas(api, body)),
    ...builtInNames(document),
    ...operationFaults(api),
    ...errorFaults(api),
    ...(document.openapi.startsWith('3.0.') ? newerKeywords(document) : []),
  ];
}

function bodiesOf({ operations, follow }: OpenApi): Body[] {
  return operations.flatMap(({ operationId, requestBody, responses }) => {
    const list = (content: Record<string, Media> = {}, where: string, isResponse: boolean) =>
      Object.entries(content).map(([type, { schema }]) => ({
        what: `${operationId}, ${where}`,
        type,
        schema,
        isResponse,
      }));
    return [
      ...list(requestBody?.content, 'request', false),
      ...Object.entries(responses).flatMap(([status, response]) => list(follow(response).content, status, true)),
    ];
  });
}

function namelessBodies(bodies: readonly Body[]): string[] {
  return bodies
    .filter(({ type, schema }) => /json|form-data/.test(type) && !schema.$ref)
    .map(({ what }) => `${what}: the body has no name. Give its schema a .meta({ id }).`);
}

/** Generators require fields that have a default. */
function defaultsIn(api: OpenApi, { what, schema }: Body): string[] {
  return [...schemasIn(api, schema, 'body')]
    .filter(([, each]) => 'default' in each)
    .map(([place]) => `${what}, ${place}: a field with a default would be required. Describe the default.`);
}

/** Returns the schemas of a response that do not allow further fields or values, and entries of lists without a name. */
function closedSchemas(api: OpenApi, { what, schema }: Body): string[] {
  const discriminators = discriminatorsOf(api.document);
  return [...schemasIn(api, schema, 'body')].flatMap(
    ([place, { additionalProperties, items, enum: values, const: value }]) => {
      const isClosed = (values ?? value) !== undefined && !discriminators.has(place);
      return [
        ...(additionalProperties === false ? [`${what}, ${place}: additionalProperties must not be false.`] : []),
        ...(items?.properties
          ? [`${what}, ${place}: the entries have no name. Give their schema a .meta({ id }).`]
          : []),
        ...(isClosed ? [`${what}, ${place}: an enumeration must be an x-extensible-enum.`] : []),
      ];
    },
  );
}

/** Yields a schema and all schemas inside it, each with its place, such as `Deployment.status`. */
function* schemasIn(
  api: OpenApi,
  schema: Schema,
  place: string,
  seen = new Set<string>(),
): Generator<[string, Schema]> {
  const { $ref, properties = {}, items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = schema;
  if ($ref !== undefined) {
    if (!seen.has($ref)) yield* schemasIn(api, api.resolve<Schema>($ref)!, nameOf($ref), seen.add($ref));
    return;
  }
  yield [place, schema];
  for (const [name, property] of Object.entries(properties)) yield* schemasIn(api, property, `${place}.${name}`, seen);
  for (const each of [items, additionalProperties, ...anyOf, ...oneOf, ...allOf])
    if (typeof each === 'object') yield* schemasIn(api, each, place, seen);
}

const nameOf = ($ref: string) => $ref.slice(REF_PREFIX.length);

/** Returns the places of the fields that discriminate unions, such as `NotFoundError.error`. */
function discriminatorsOf({ components }: Document): Set<string> {
  const unions = Object.values(components.schemas).flatMap(({ discriminator }) => discriminator ?? []);
  return new Set(
    unions.flatMap(({ propertyName, mapping }) =>
      Object.values(mapping).map((ref) => `${nameOf(ref)}.${propertyName}`),
    ),
  );
}

/** A class `Error` or `Map` would hide the one that the language has. */
function builtInNames({ components }: Document): string[] {
  return Object.keys(components.schemas)
    .filter((name) => name in globalThis)
    .map((name) => `${name}: the schema has the name of a built-in class. Give it another id.`);
}

function operationFaults({ operations }: OpenApi): string[] {
  return operations.flatMap(({ operationId, description }) => [
    ...(/^[a-z][A-Za-z0-9]*$/.test(operationId) ? [] : [`${operationId}: an operation id must be one word.`]),
    ...(description ? [] : [`${operationId}: the operation needs a description.`]),
  ]);
}

/** Every status has the schema of its error, and the union of all errors is discriminated by the code. */
function errorFaults({ document, operations, follow }: OpenApi): string[] {
  const { oneOf = [], discriminator } = document.components.schemas['ApiError'] ?? {};
  const mapping = discriminator?.mapping ?? {};
  const nameOfStatus = new Map(Object.entries(ERROR_STATUS).map(([code, status]) => [String(status), mapping[code]]));
  const isComplete =
    discriminator?.propertyName === 'error' &&
    Object.keys(ERROR_STATUS).every((code) => oneOf.some(({ $ref }) => $ref === mapping[code]));
  return [
    ...(isComplete ? [] : ['ApiError: must be a union of all errors, which `error` discriminates.']),
    ...operations.flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([status]) => status >= '400')
        .filter(([status, response]) => {
          const { $ref } = follow(response).content!['application/json']!.schema;
          return $ref !== (status === 'default' ? `${REF_PREFIX}ApiError` : nameOfStatus.get(status));
        })
        .map(([status]) => `${operationId}, ${status}: the response must have the schema of its error.`),
    ),
  ];
}

/** Returns what OpenAPI 3.0 does not have, although its schema accepts some of it. */
function newerKeywords(document: Document): string[] {
  return [...objectsIn({ paths: document.paths, components: document.components })].flatMap((each) => [
    ...(Array.isArray(each['type']) ? [`type ${each['type'].join(', ')}: OpenAPI 3.0 has nullable instead.`] : []),
    ...(each['nullable'] && !each['type'] ? ['nullable: has no effect in OpenAPI 3.0 without a type.'] : []),
    ...('const' in each && 'type' in each ? ['const: OpenAPI 3.0 has an enum of one value instead.'] : []),
    ...('$ref' in each && Object.keys(each).length > 1 ? ['$ref: OpenAPI 3.0 ignores everything beside it.'] : []),
  ]);
}
