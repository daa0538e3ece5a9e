import { STATUS_CODES } from 'node:http';
import { CreatedDeployment, ErrorBody, ReceivedContents } from '@berth/contract';
import { type Actor, mayCall } from '@berth/core';
import type { AnyTRPCRouter } from '@trpc/server';
import { generateOpenApiDocument } from 'trpc-openapi';
import type { oas31 } from 'zod-openapi';
import { ERROR_RESPONSES, errorResponses } from './openapi-errors.ts';
import { INFO, SECURITY_SCHEMES, TAGS } from './openapi-info.ts';
import {
  type DescribedOperation,
  EXAMPLES,
  type Examples,
  exampleFields,
  HEADERS,
  headerRefs,
} from './openapi-parts.ts';
import { EVENT_CONTENT, EVENT_PARAMETERS } from './openapi-events.ts';
import { keyParameter, uploadOperations } from './openapi-uploads.ts';
import { type Operation, operationsOf } from './operations.ts';

/** The `security` of each actor of the access table. */
const SECURITY: readonly [Actor, oas31.SecurityRequirementObject][] = [
  ['api', { apiKey: [] }],
  ['deploy', { deployToken: [] }],
  ['anonymous', {}],
];

interface DocumentOptions {
  router: AnyTRPCRouter;
  /** The public URL of the API. */
  baseUrl: string;
  version: string;
}

/**
 * Derives the OpenAPI 3.1 document from the metadata that also defines the routes, from the access table, from the two
 * routes that are not procedures, and from recorded examples. The result is plain JSON that the caller may change.
 * Source: api §9; security F6.
 */
export function openApiDocument({ router, baseUrl, version }: DocumentOptions): oas31.OpenAPIObject {
  const generated = generateOpenApiDocument(router, {
    title: INFO.title,
    version,
    baseUrl,
    openApiVersion: '3.1.0',
    defs: { CreatedDeployment, ReceivedContents, Error: ErrorBody },
  });
  const procedures = operationsOf(router).map((operation) => describeProcedure(operation, generated.paths!));
  const paths: oas31.PathsObject = {};
  for (const operation of [...uploadOperations(baseUrl), ...procedures]) {
    const { path, method } = operation.openapi;
    paths[path] = { ...paths[path], [method.toLowerCase()]: documentOperation(operation) };
  }
  const used = new Set(
    Object.values(paths)
      .flatMap((item) => Object.values(item as Record<string, oas31.OperationObject>))
      .flatMap(({ responses = {} }) => Object.values(responses).map(({ $ref }) => $ref as string | undefined)),
  );
  const schemas = Object.entries(generated.components!.schemas!).filter(([name]) => !name.startsWith('error.'));
  return toPlainJson({
    openapi: generated.openapi!,
    info: { ...INFO, version },
    servers: [{ url: baseUrl, description: 'The API of this installation.' }],
    tags: TAGS,
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: openObjects(Object.fromEntries(schemas)),
      headers: HEADERS,
      responses: Object.fromEntries(
        Object.entries(ERROR_RESPONSES).filter(([name]) => used.has(`#/components/responses/${name}`)),
      ),
    },
  });
}

/** Adds the schemas that the generator derived from the zod schemas of a procedure. */
function describeProcedure(operation: Operation, paths: oas31.PathsObject): DescribedOperation {
  const { openapi, inputs, redirect, events } = operation;
  const generated = paths[openapi.path]![openapi.method.toLowerCase() as 'get']!;
  const body = generated.requestBody as oas31.RequestBodyObject | undefined;
  // A body is required when the input schema rejects an empty object. Fields of the path do not count.
  const issues = inputs.flatMap((input) => input.safeParse({}).error?.issues ?? []);
  const required = issues.some(({ path: [field] }) => !openapi.path.includes(`{${String(field)}}`));
  return {
    ...operation,
    parameters: ((generated.parameters ?? []) as oas31.ParameterObject[]).concat(
      openapi.keyed ? keyParameter() : [],
      events ? EVENT_PARAMETERS : [],
    ),
    body: body && { required, content: body.content },
    headers: redirect ? ['Location'] : [],
    answer: openObjects({
      ...(generated.responses!['200'] as oas31.ResponseObject).content!,
      ...(events ? EVENT_CONTENT : {}),
    }),
  };
}

function documentOperation(operation: DescribedOperation): oas31.OperationObject {
  const { name, openapi, status, creates, redirect, parameters, body, headers, answer } = operation;
  const { summary, description, tags, deprecated } = openapi;
  const { requests, answers = {} } = EXAMPLES.operations[name] ?? {};
  const fallbackDescription = redirect ? `Moved to \`${redirect}\`.` : `${STATUS_CODES[status]}.`;
  const success = (status: number, description: string): oas31.ResponsesObject => ({
    [status]: { description, headers: headerRefs(headers), content: withExamples(answer, answers[status]) },
  });
  return {
    operationId: name,
    summary,
    ...(description ? { description } : {}),
    tags,
    ...(deprecated ? { deprecated } : {}),
    security: SECURITY.filter(([actor]) => mayCall(name, actor)).map(([, requirement]) => requirement),
    ...(parameters.length > 0 ? { parameters: parameters.map(withDescription) } : {}),
    ...(body ? { requestBody: { ...body, content: withExamples(body.content, requests) } } : {}),
    responses: {
      ...success(status, openapi.successDescription ?? fallbackDescription),
      ...(creates ? success(201, 'Created.') : {}),
      ...errorResponses(operation),
    },
  };
}

function withExamples(content: oas31.ContentObject, examples?: Examples): oas31.ContentObject {
  return Object.fromEntries(
    Object.entries(content).map(([type, media]) => [
      type,
      'example' in media ? media : { ...media, ...exampleFields(examples) },
    ]),
  );
}

/** Moves the description from the schema to the parameter, so that it appears only once. */
function withDescription({ schema, ...parameter }: oas31.ParameterObject): oas31.ParameterObject {
  const { description: inSchema, ...rest } = (schema ?? {}) as oas31.SchemaObject;
  const description = parameter.description ?? inSchema;
  return { ...parameter, ...(description ? { description } : {}), schema: rest };
}

/** Copies schemas of responses without the rule that objects have no other fields, because responses may gain fields. */
function openObjects<T>(schemas: T): T {
  return JSON.parse(JSON.stringify(schemas), (key, value) =>
    key === 'additionalProperties' && value === false ? undefined : value,
  );
}

/** Copies JSON without the bounds that only say that a number is a safe integer. */
function toPlainJson<T>(document: T): T {
  return JSON.parse(JSON.stringify(document), (key, value) =>
    (key === 'maximum' || key === 'minimum') && Math.abs(value) === Number.MAX_SAFE_INTEGER ? undefined : value,
  );
}
