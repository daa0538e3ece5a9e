import { STATUS_CODES } from 'node:http';
import { CreatedDeployment, ErrorBody, ReceivedContents } from '@berth/contract';
import { type Actor, mayCall } from '@berth/core';
import type { AnyTRPCRouter } from '@trpc/server';
import { generateOpenApiDocument } from 'trpc-openapi';
import type { oas31 } from 'zod-openapi';
import {
  ERROR_RESPONSES,
  errorResponses,
  exampleFields,
  HEADERS,
  headerRefs,
  RATE_LIMIT,
} from './openapi-responses.ts';
import { contentsOperation } from './openapi-contents.ts';
import { deployOperation, KEY_PARAMETER } from './openapi-deploy.ts';
import { type Example, EXAMPLES } from './openapi-examples.ts';
import { INFO, SECURITY_SCHEMES, TAGS } from './openapi-info.ts';
import { type Operation, operationsOf } from './operations.ts';

/** How each actor of the access table appears in `security`, the most capable first. */
const SECURITY: readonly [Actor, oas31.SecurityRequirementObject][] = [
  ['api', { apiKey: [] }],
  ['deploy', { deployToken: [] }],
  ['anonymous', {}],
];

/**
 * The OpenAPI 3.1 document of the REST API. It is derived from the metadata that also defines the routes, from the
 * access table, and from the two routes that are not procedures. The result is plain JSON that the caller owns; the
 * source schemas are not changed.
 *
 * @param baseUrl Where the API is reached.
 * @param version The version of the service.
 * Source: api §9; security F6.
 */
export function openApiDocument({
  router,
  baseUrl,
  version,
}: {
  router: AnyTRPCRouter;
  baseUrl: string;
  version: string;
}): oas31.OpenAPIObject {
  const generated = generateOpenApiDocument(router, {
    title: INFO.title,
    version,
    baseUrl,
    openApiVersion: '3.1.0',
    defs: { CreatedDeployment, ReceivedContents, Error: ErrorBody },
  });
  const deploy = deployOperation(baseUrl);
  const contents = contentsOperation();
  const paths: oas31.PathsObject = {
    '/deployments': { post: { ...deploy, security: securityOf(deploy.operationId!) } },
    '/uploads/{upload}/contents': { put: { ...contents, security: securityOf(contents.operationId!) } },
  };
  for (const operation of operationsOf(router)) {
    const { path, method } = operation.openapi;
    const verb = method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
    paths[path] = { ...paths[path], [verb]: completeOperation(operation, generated.paths![path]![verb]!) };
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
      schemas: Object.fromEntries(schemas),
      headers: HEADERS,
      responses: Object.fromEntries(
        Object.entries(ERROR_RESPONSES).filter(([name]) => used.has(`#/components/responses/${name}`)),
      ),
    },
  });
}

/** Adds what the generator does not know: the answers, who may call, examples, and the name. */
function completeOperation(operation: Operation, generated: oas31.OperationObject): oas31.OperationObject {
  const { name, openapi, status, creates, redirect } = operation;
  const { summary, description, tags, deprecated } = openapi;
  const example: Example | undefined = EXAMPLES[name as keyof typeof EXAMPLES];
  const parameters = [
    ...((generated.parameters ?? []) as oas31.ParameterObject[]),
    ...(openapi.keyed ? [KEY_PARAMETER] : []),
  ];
  const body = generated.requestBody as oas31.RequestBodyObject | undefined;
  const success = {
    description: openapi.successDescription ?? (redirect ? `Moved to \`${redirect}\`.` : `${STATUS_CODES[status]}.`),
    headers: headerRefs(...(redirect ? (['Location'] as const) : []), ...RATE_LIMIT),
    content: withExamples(
      (generated.responses!['200'] as oas31.ResponseObject).content!,
      example && { Example: example.answer },
    ),
  };
  return {
    operationId: name,
    summary,
    ...(description ? { description } : {}),
    tags,
    ...(deprecated ? { deprecated } : {}),
    security: securityOf(name),
    ...(parameters.length > 0 ? { parameters: parameters.map(withDescription) } : {}),
    ...(body ? { requestBody: requestBody(operation, body, example?.bodies) } : {}),
    responses: {
      [status]: success,
      ...(creates ? { 201: { ...success, description: 'Created.' } } : {}),
      ...errorResponses({
        name,
        hasInput: parameters.length > 0 || body !== undefined,
        hasBody: body !== undefined,
        reasons: openapi.errorResponses,
      }),
    },
  };
}

/** Who may call an operation, from the access table. Source: api §5; security T21. */
function securityOf(name: string): oas31.SecurityRequirementObject[] {
  return SECURITY.filter(([actor]) => mayCall(name, actor)).map(([, requirement]) => requirement);
}

/** A body is required when the input schema rejects an empty object. Fields of the path do not count. */
function requestBody(
  { inputs, openapi }: Operation,
  { content }: oas31.RequestBodyObject,
  bodies?: Record<string, unknown>,
): oas31.RequestBodyObject {
  const issues = inputs.flatMap((input) => input.safeParse({}).error?.issues ?? []);
  const required = issues.some(({ path: [field] }) => !openapi.path.includes(`{${String(field)}}`));
  return { required, content: withExamples(content, bodies) };
}

function withExamples(content: oas31.ContentObject, values: Record<string, unknown> = {}): oas31.ContentObject {
  return Object.fromEntries(
    Object.entries(content).map(([type, media]) => [type, { ...media, ...exampleFields(values) }]),
  );
}

/** Moves the description from the schema to the parameter, so that it appears only once. */
function withDescription({ schema, ...parameter }: oas31.ParameterObject): oas31.ParameterObject {
  const { description: inSchema, ...rest } = (schema ?? {}) as oas31.SchemaObject;
  const description = parameter.description ?? inSchema;
  return { ...parameter, ...(description ? { description } : {}), schema: rest };
}

/** A JSON copy without the bounds that only say that a number is an integer. */
function toPlainJson<T>(document: T): T {
  return JSON.parse(JSON.stringify(document), (key, value) =>
    (key === 'maximum' || key === 'minimum') && Math.abs(value) === Number.MAX_SAFE_INTEGER ? undefined : value,
  );
}
