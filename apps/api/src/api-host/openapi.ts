import { STATUS_CODES } from 'node:http';
import { CreatedDeployment, ReceivedContents } from '@berth/contract';
import { type Actor, mayCall } from '@berth/core';
import type { AnyTRPCRouter } from '@trpc/server';
import { generateOpenApiDocument } from 'trpc-openapi';
import type { z } from 'zod';
import type { oas31, ZodOpenApiResponsesObject } from 'zod-openapi';
import { ApiError, ERROR_RESPONSES, errorResponses } from './openapi-errors.ts';
import { contactOf, INFO, SECURITY_SCHEMES, TAGS } from './openapi-info.ts';
import {
  type DescribedOperation,
  EXAMPLES,
  type Examples,
  exampleFields,
  HEADERS,
  headerRefs,
} from './openapi-parts.ts';
import {
  describeDefaults,
  inlineNullable,
  mergeSchemas,
  nameOfInput,
  openResponseSchemas,
  schemaRef,
  type Schemas,
  usedSchemas,
} from './openapi-schemas.ts';
import { DeployForm, keyParameter, uploadOperations } from './openapi-uploads.ts';
import { EVENT_CONTENT, EVENT_PARAMETERS } from './openapi-events.ts';
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
  /** The version of OpenAPI. Many generators read only 3.0 completely. Default: 3.1.0. */
  openApiVersion?: '3.0.3' | '3.1.0';
}

/**
 * Derives the OpenAPI document from the metadata that also defines the routes, from the access table, from the two
 * routes that are not procedures, and from recorded examples. The result is plain JSON that the caller may change.
 * All its versions describe the same operations with the same names.
 *
 * @throws if two different schemas have the same name.
 * Source: api §9; security F6.
 */
export function openApiDocument({
  router,
  baseUrl,
  version,
  openApiVersion = '3.1.0',
}: DocumentOptions): oas31.OpenAPIObject {
  const generated = generateOpenApiDocument(router, {
    title: INFO.title,
    version,
    baseUrl,
    openApiVersion,
    // Only the schemas of this path are used. With `defs`, the generator would also add them as schemas of requests.
    paths: { '/': { get: { responses: responsesOf([CreatedDeployment, ReceivedContents, ApiError]) } } },
  });
  const procedures = operationsOf(router).map((operation) => describeProcedure(operation, generated.paths!));
  const operations = [...uploadOperations(baseUrl), ...procedures];
  const paths: oas31.PathsObject = {};
  for (const operation of operations) {
    const { path, method } = operation.openapi;
    paths[path] = { ...paths[path], [method.toLowerCase()]: documentOperation(operation) };
  }
  const used = new Set(
    Object.values(paths)
      .flatMap((item) => Object.values(item as Record<string, oas31.OperationObject>))
      .flatMap(({ responses = {} }) => Object.values(responses).map(({ $ref }) => $ref as string | undefined)),
  );
  const responses = Object.fromEntries(
    Object.entries(ERROR_RESPONSES).filter(([name]) => used.has(`#/components/responses/${name}`)),
  );
  const bodySchemas = procedures.map((procedure) => procedure.schemas);
  const schemas = mergeSchemas([generated.components!.schemas as Schemas, { DeployForm }, ...bodySchemas]);
  const requests = operations.map(({ body }) => body);
  return toPlainJson({
    openapi: generated.openapi!,
    info: { ...INFO, contact: contactOf(baseUrl), version },
    externalDocs: { url: `${baseUrl}/docs`, description: 'This document as a page, where calls can be tried.' },
    servers: [{ url: baseUrl, description: 'This server.' }],
    tags: TAGS,
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: usedSchemas(openResponseSchemas(inlineNullable(schemas), requests), [paths, responses]),
      headers: HEADERS,
      responses,
    },
  });
}

/** Returns one response for each schema, so that the generator adds the schemas to `components`. */
const responsesOf = (schemas: readonly z.ZodType[]): ZodOpenApiResponsesObject =>
  Object.fromEntries(
    schemas.map((schema, at) => [200 + at, { description: '', content: { 'application/json': { schema } } }]),
  );

/** A procedure with the schemas that its request body adds to `components`. */
interface DescribedProcedure extends DescribedOperation {
  schemas: Schemas;
}

/** Adds the schemas that the generator derived from the zod schemas of a procedure. */
function describeProcedure(operation: Operation, paths: oas31.PathsObject): DescribedProcedure {
  const { openapi, inputs, redirect, events } = operation;
  const generated = paths[openapi.path]![openapi.method.toLowerCase() as 'get']!;
  const body = generated.requestBody as oas31.RequestBodyObject | undefined;
  // A body is required when the input schema rejects an empty object. Fields of the path do not count.
  const issues = inputs.flatMap((input) => input.safeParse({}).error?.issues ?? []);
  const required = issues.some(({ path: [field] }) => !openapi.path.includes(`{${String(field)}}`));
  const bodySchema = body?.content['application/json']?.schema as oas31.SchemaObject | undefined;
  const name = bodySchema && nameOfInput(inputs);
  return {
    ...operation,
    parameters: ((generated.parameters ?? []) as oas31.ParameterObject[]).concat(
      openapi.keyed ? keyParameter() : [],
      events ? EVENT_PARAMETERS : [],
    ),
    body: body && { required, content: name ? { 'application/json': { schema: schemaRef(name) } } : body.content },
    schemas: name && bodySchema ? { [name]: describeDefaults(bodySchema) } : {},
    headers: redirect ? ['Location'] : [],
    answer: {
      ...(generated.responses!['200'] as oas31.ResponseObject).content!,
      ...(events ? EVENT_CONTENT : {}),
    },
  };
}

/** Returns the name of an operation in camel case, without the dots that many languages cannot have in a name. */
const operationId = (name: string): string => name.replace(/\.([a-z])/g, (_, letter: string) => letter.toUpperCase());

function documentOperation(operation: DescribedOperation): oas31.OperationObject {
  const { name, openapi, status, creates, redirect, parameters, body, headers, answer } = operation;
  const { summary, description, tags, deprecated } = openapi;
  const { requests, answers = {} } = EXAMPLES.operations[name] ?? {};
  const fallbackDescription = redirect ? `Moved to \`${redirect}\`.` : `${STATUS_CODES[status]}.`;
  const success = (status: number, description: string): oas31.ResponsesObject => ({
    [status]: { description, headers: headerRefs(headers), content: withExamples(answer, answers[status]) },
  });
  return {
    operationId: operationId(name),
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

/** Copies JSON without the bounds that only say that a number is a safe integer. */
function toPlainJson<T>(document: T): T {
  return JSON.parse(JSON.stringify(document), (key, value) =>
    (key === 'maximum' || key === 'minimum') && Math.abs(value) === Number.MAX_SAFE_INTEGER ? undefined : value,
  );
}
