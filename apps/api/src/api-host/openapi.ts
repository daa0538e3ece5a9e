import { STATUS_CODES } from 'node:http';
import { CreatedDeployment, ErrorBody } from '@berth/contract';
import type { AnyTRPCRouter } from '@trpc/server';
import { generateOpenApiDocument } from 'trpc-openapi';
import type { oas31 } from 'zod-openapi';
import { ERROR_RESPONSES, errorRefs, HEADERS, headerRefs, RATE_LIMIT } from './openapi-answers.ts';
import { deployOperation } from './openapi-deploy.ts';
import { type Operation, operationsOf } from './operations.ts';

const DESCRIPTION = `
Publishes static sites and serves them.

**Authentication.** Send \`Authorization: Bearer <credential>\`, where the credential is an API key (\`ship-…\`) or a deploy
token (\`deploy-…\`). Publishing needs none.

**Errors.** Every answer that is not a success has one body: \`error\` for programs, \`message\` for people, the \`status\`, and
\`details\` where there are any. \`X-Request-Id\` names the request.

**Lists.** A list answers one page. Pass its \`nextCursor\` as \`cursor\` to get the next; the last page has none. \`limit\` above
100 is taken as 100.

**Times and sizes** are whole numbers: Unix seconds, and bytes.
`.trim();

const TAGS = [
  { name: 'Deployments', description: 'Published sites.' },
  { name: 'Domains', description: 'Names that point at a deployment, and their DNS.' },
  { name: 'Tokens', description: 'Credentials of the account.' },
  { name: 'Account', description: 'The account, what it holds, and what happened in it.' },
  { name: 'Platform', description: 'Plans, limits, and whether the service is there.' },
];

/** What every operation can answer, whatever it does; and those that read a body besides. */
const ANY_ERRORS = [429, 500, 503];
const BODY_ERRORS = [400, 408, 413];

/**
 * The OpenAPI 3.1 document of the REST face, derived from the same meta that its routes are made of, and the one route
 * that is no procedure. Plain JSON that the caller owns; the schemas it is made from stay as they are.
 *
 * @param baseUrl Where the API is reached.
 * @param version The version of the service.
 * Source: contract §9; security F6.
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
    title: 'Berth',
    description: DESCRIPTION,
    version,
    baseUrl,
    openApiVersion: '3.1.0',
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'An API key, or a deploy token where one will do.' },
    },
    defs: { CreatedDeployment, Error: ErrorBody },
  });
  const paths: oas31.PathsObject = { '/deployments': { post: deployOperation(baseUrl) } };
  for (const operation of operationsOf(router)) {
    const { path, method } = operation.openapi;
    const verb = method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
    paths[path] = { ...paths[path], [verb]: complete(operation, generated.paths![path]![verb]!) };
  }
  const operations = Object.values(paths).flatMap((item) =>
    Object.values(item as Record<string, oas31.OperationObject>),
  );
  const tags = new Set(operations.flatMap((operation) => operation.tags ?? []));
  const answers = new Set(operations.flatMap(({ responses }) => Object.values(responses!).map(({ $ref }) => $ref)));
  const schemas = Object.entries(generated.components!.schemas!).filter(([name]) => !name.startsWith('error.'));
  return plain({
    ...generated,
    tags: TAGS.filter(({ name }) => tags.has(name)),
    paths,
    components: {
      ...generated.components,
      schemas: Object.fromEntries(schemas),
      headers: HEADERS,
      responses: Object.fromEntries(
        Object.entries(ERROR_RESPONSES).filter(([code]) => answers.has(`#/components/responses/${code}`)),
      ),
    },
  });
}

/** What the generator does not know: the status of success, our errors, who may call, and the name. */
function complete(
  { name, openapi, status, redirect }: Operation,
  { parameters, responses, ...generated }: oas31.OperationObject,
): oas31.OperationObject {
  const success = {
    description: openapi.successDescription ?? (redirect ? `Moved to \`${redirect}\`.` : `${STATUS_CODES[status]}.`),
    headers: headerRefs(...(redirect ? (['Location'] as const) : []), ...RATE_LIMIT),
    content: responses!['200'].content,
  };
  const errors = [...(openapi.errorResponses ?? []), ...ANY_ERRORS, ...(generated.requestBody ? BODY_ERRORS : [])];
  return {
    ...generated,
    operationId: name,
    security: openapi.protect ? [{ bearer: [] }] : [],
    ...(parameters?.length ? { parameters } : {}),
    responses: { [status]: success, ...errorRefs(errors) },
  };
}

/** A copy as JSON has it, without the bounds that only say that a number is a whole one. */
function plain<T>(document: T): T {
  return JSON.parse(JSON.stringify(document), (key, value) =>
    (key === 'maximum' || key === 'minimum') && Math.abs(value) === Number.MAX_SAFE_INTEGER ? undefined : value,
  );
}
