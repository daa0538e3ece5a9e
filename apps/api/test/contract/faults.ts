import { CONTENTS_TYPE, FILES_FIELD } from '@berth/contract';
import { contentOf } from '@berth/testing/delta';
import { field, file, type Form, multipart, withChecksums } from '@berth/testing/multipart';
import type { OpenApi, Parameter, PlacedOperation, Schema } from '@berth/testing/open-api';
import type { RequestOptions } from '@berth/testing/requests';
import { expect } from 'vitest';
import { tarOf } from '@berth/testing/tar-bytes';
import type { Input } from './case.ts';
import { bodyOf } from './cases.ts';

/** A fault, with a request that differs from a valid request only in this fault. */
export interface Fault {
  title: string;
  status: number;
  /** The path of the request, if the fault is in the path. */
  path?: string;
  request: RequestOptions;
}

const tooLongTexts = (schema: Schema) => (schema.maxLength === undefined ? [] : ['x'.repeat(schema.maxLength + 1)]);

function invalidTexts(schema: Schema): string[] {
  if (schema.type === 'integer')
    return ['', 'x', '1.5', ...(schema.minimum === undefined ? [] : [String(schema.minimum - 1)])];
  return [...(schema.minLength ? [''] : []), ...tooLongTexts(schema)];
}

function invalidValues(api: OpenApi, reference: Schema): unknown[] {
  const schema = api.follow(reference);
  const nonNullSchema = Array.isArray(schema.type)
    ? { ...schema, type: schema.type.find((each) => each !== 'null') ?? '' }
    : schema.anyOf?.find(({ type }) => type !== 'null');
  if (nonNullSchema) return invalidValues(api, nonNullSchema).filter((value) => value !== null);
  switch (schema.type) {
    case 'string':
      return [7, null, ['x'], ...(schema.enum ? ['nonsense', ''] : []), ...tooLongTexts(schema)];
    case 'integer':
      return ['1', 1.5, null, (schema.minimum ?? 1) - 1, (schema.maximum ?? Number.MAX_SAFE_INTEGER) + 1];
    case 'boolean':
      return ['true', 1, null];
    case 'array':
      return ['x', {}, null, ...invalidValues(api, schema.items!).map((value) => [value])];
    case 'object':
      return ['x', [], null, {}];
    default:
      throw new Error(`No invalid value is known for ${JSON.stringify(schema)}.`);
  }
}

function parameterFaults(
  { in: location, name, schema }: Parameter,
  path: string,
): (Omit<Fault, 'request'> & { request?: RequestOptions })[] {
  const queryParameter = (text: string) => `${name}=${encodeURIComponent(text)}`;
  if (location === 'header')
    return invalidTexts(schema).map((text) => ({
      title: `${name}: ${text.length} characters`,
      status: 400,
      request: { headers: { [name]: text } },
    }));
  if (location === 'query')
    return [
      ...invalidTexts(schema).map((text) => ({
        title: `?${name}=${text.slice(0, 20)}`,
        status: 400,
        path: `${path}?${queryParameter(text)}`,
      })),
      ...(schema.type === 'array'
        ? []
        : [{ title: `?${name} twice`, status: 400, path: `${path}?${queryParameter('1')}&${queryParameter('1')}` }]),
    ];
  const replaceInPath = (text: string) => path.replace(`{${name}}`, text).replace(/\{\w+\}/g, 'x');
  return [
    { title: 'A path that cannot be read', status: 400, path: replaceInPath('%zz') },
    ...invalidTexts(schema).map((text) => ({
      title: `${name}: ${text.length} characters`,
      status: 400,
      path: replaceInPath(text),
    })),
  ];
}

const withBody = (title: string, body: string | Buffer, type: string, status = 400): Fault => ({
  title,
  status,
  request: { headers: { 'Content-Type': type }, body },
});

function jsonFaults(
  api: OpenApi,
  { name: operation, requestBody }: PlacedOperation,
  valid: Record<string, unknown>,
): Fault[] {
  const schema = api.follow(requestBody!.content['application/json']!.schema);
  const bodyFault = (title: string, body: string, status = 400) => withBody(title, body, 'application/json', status);
  const invalidBodies = Object.entries(schema.properties!).flatMap(([name, property]) => [
    ...invalidValues(api, property).map((value) => ({ ...valid, [name]: value })),
    ...(schema.required?.includes(name)
      ? [Object.fromEntries(Object.entries(valid).filter(([field]) => field !== name))]
      : []),
  ]);
  for (const body of invalidBodies) expect([body, api.isValid(schema, body)]).toEqual([body, false]);
  return [
    ...invalidBodies.map((body) => bodyFault(JSON.stringify(body).slice(0, 80), JSON.stringify(body))),
    ...(requestBody!.required
      ? [bodyFault('an empty object', '{}'), { title: 'no body', status: 400, request: { body: undefined } }]
      : []),
    bodyFault('a list', '[]'),
    bodyFault('a text', '"x"'),
    bodyFault('null', 'null'),
    bodyFault('A body that is not JSON', '{"x":'),
    bodyFault('bytes that are not JSON', 'x=1'),
    withBody('another media type', JSON.stringify(valid), 'text/plain'),
    withBody('a form', 'x=1', 'application/x-www-form-urlencoded'),
    bodyFault('nested too deeply', `{"x":${'['.repeat(20)}${']'.repeat(20)}}`),
    // A delta upload may list every file of its plan, so that a larger body is read and fails as an input.
    operation === 'deployments.begin'
      ? bodyFault('20 MiB without files', LARGE_JSON)
      : bodyFault('A body that is too large', LARGE_JSON, 413),
  ];
}

function formFaults(api: OpenApi, { requestBody }: PlacedOperation): Fault[] {
  const schema = api.follow(requestBody!.content['multipart/form-data']!.schema);
  const bodyFault = (title: string, { contentType, body }: Form) => withBody(title, body, contentType);
  const files = [file('index.html', 'hello')];
  const parts = withChecksums(files);
  const fields = Object.entries(schema.properties!).filter(([name]) => name !== FILES_FIELD);
  return [
    ...fields.map(([name]) => bodyFault(`${name} twice`, multipart([...parts, field(name, '1'), field(name, '1')]))),
    ...fields
      .filter(([, { type }]) => type === 'integer')
      .flatMap(([name, { minimum, maximum }]) =>
        ['x', '1.5', '', String(minimum! - 1), String(maximum! + 1)].map((text) =>
          bodyFault(`${name}=${text}`, multipart([...parts, field(name, text)])),
        ),
      ),
    ...fields
      .filter(([, { pattern }]) => pattern)
      .flatMap(([name]) =>
        ['x', '{}', '[1]'].map((text) =>
          bodyFault(`${name}=${text}`, multipart([...(name === 'checksums' ? files : parts), field(name, text)])),
        ),
      ),
    bodyFault('no files', multipart([field('checksums', '[]')])),
    bodyFault('no checksums', multipart(files)),
    bodyFault('nothing', multipart([])),
    bodyFault('an unknown field', multipart([...parts, field('other', 'x')])),
    bodyFault('half a form', multipart(parts, { closed: false })),
    withBody('JSON', '{}', 'application/json'),
    { title: 'no body', status: 400, request: { headers: {}, body: undefined } },
  ];
}

const LARGE_JSON = `{"x":"${'x'.repeat(20 * 1024 ** 2)}"}`;

const ARCHIVE = { headers: { 'Content-Type': 'application/x-tar' }, body: tarOf({ 'index.html': 'hello' }) };

/** Returns all faults of an operation that follow from the document. */
export function faultsOf(api: OpenApi, operation: PlacedOperation, valid: Input): Fault[] {
  const { path, parameters = [], requestBody } = operation;
  const faults = parameters.flatMap((parameter) => {
    const body = parameter.description?.startsWith('For archives:') ? ARCHIVE : bodyOf(valid);
    return parameterFaults(parameter, path).map((fault) => ({
      ...fault,
      request: { ...body, ...fault.request, headers: { ...body.headers, ...fault.request?.headers } },
    }));
  });
  if (!requestBody) return faults;
  return [...faults, ...bodyFaults(api, operation, valid)];
}

function bodyFaults(api: OpenApi, operation: PlacedOperation, { json, contents }: Input): Fault[] {
  if (contents) return contentsFaults(contents);
  return 'application/json' in operation.requestBody!.content
    ? jsonFaults(api, operation, { ...(json as object | undefined) })
    : formFaults(api, operation);
}

function contentsFaults(contents: Buffer): Fault[] {
  return [
    withBody('another media type', contents, 'application/octet-stream'),
    withBody('half a head', contents.subarray(0, 20), CONTENTS_TYPE),
    withBody('half a content', contents.subarray(0, -1), CONTENTS_TYPE),
    withBody('a content that is not missing', contentOf(''), CONTENTS_TYPE),
    { title: 'compressed', status: 400, request: { headers: { 'Content-Encoding': 'gzip' }, body: contents } },
  ];
}
