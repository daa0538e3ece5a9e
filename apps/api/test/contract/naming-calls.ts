import { appRouter } from '@berth/core';
import type { openApiDocument } from '../../src/api-host/openapi.ts';

/** What belongs to an account and can be named by others. */
export type Resource = 'deployment' | 'domain' | 'token' | 'claim' | 'upload' | 'cursor';

/** The parameters that name a resource, and its kind. */
export const RESOURCES: Readonly<Record<string, Resource>> = {
  deployment: 'deployment',
  domain: 'domain',
  token: 'token',
  claim: 'claim',
  base: 'deployment',
  upload: 'upload',
  cursor: 'cursor',
};

/**
 * The parameters that name no resource. A key of idempotency is separate for each credential. A new parameter must be
 * added here or above, else a test fails.
 */
export const NAMES_NOTHING: ReadonlySet<string> = new Set([
  'limit',
  'labels',
  'kind',
  'ttl',
  'files',
  'put',
  'remove',
  'password',
  'via',
  'Idempotency-Key',
]);

/** One parameter of one operation, as the OpenAPI document describes it. */
export interface Call {
  operation: string;
  type: 'query' | 'mutation';
  method: string;
  path: string;
  /** The fields of its JSON body; `null` when it has none. */
  body: string[] | null;
  /** The type of a body that is not JSON. */
  contentType: string | null;
  parameter: string;
}

interface Schema {
  $ref?: string;
  properties?: Record<string, unknown>;
}

interface Described {
  operationId: string;
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

/**
 * Every parameter of every operation: in the path, the query, or the JSON body. The multipart upload names no
 * resources.
 */
export function callsOf(document: ReturnType<typeof openApiDocument>): Call[] {
  const { paths, components } = document as unknown as {
    paths: Record<string, Record<string, Described>>;
    components: { schemas: Record<string, Schema> };
  };
  const types = appRouter._def.procedures as unknown as Record<string, { _def: { type: Call['type'] } }>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId: operation, parameters = [], requestBody }]) => {
      const schema = requestBody?.content['application/json']?.schema;
      const { properties = {} } = (schema?.$ref ? components.schemas[schema.$ref.split('/').at(-1)!] : schema) ?? {};
      const body = schema ? Object.keys(properties) : null;
      const contentType = schema ? null : (Object.keys(requestBody?.content ?? {})[0] ?? null);
      const names = new Set([...parameters.map(({ name }) => name), ...(body ?? [])]);
      const type = types[operation]?._def.type ?? 'mutation';
      return [...names].map((parameter) => ({
        operation,
        type,
        method: method.toUpperCase(),
        path,
        body,
        contentType,
        parameter,
      }));
    }),
  );
}
