import { CONTENTS_TYPE, FILES_FIELD } from '@berth/contract';
import { contentOf } from '@berth/testing/delta';
import { field, file, type Form, multipart, withChecksums } from '@berth/testing/multipart';
import type { OpenApi, Parameter, PlacedOperation, Schema } from '@berth/testing/open-api';
import type { Ask } from '@berth/testing/requests';
import { expect } from 'vitest';
import type { Input } from './case.ts';
import { bodyOf } from './cases.ts';

/** A fault, and a request that has it: a valid request with one thing changed. */
export interface Fault {
  title: string;
  status: number;
  /** Where it is sent, when the path is at fault. */
  path?: string;
  ask: Ask;
}

const tooLong = (schema: Schema) => (schema.maxLength === undefined ? [] : ['x'.repeat(schema.maxLength + 1)]);

/** Texts that are invalid for a parameter of this schema. */
function textsAgainst(schema: Schema): string[] {
  if (schema.type === 'integer')
    return ['', 'x', '1.5', ...(schema.minimum === undefined ? [] : [String(schema.minimum - 1)])];
  return [...(schema.minLength ? [''] : []), ...tooLong(schema)];
}

/** Values that are invalid for a field of this schema. */
function valuesAgainst(schema: Schema): unknown[] {
  const nullable = Array.isArray(schema.type)
    ? { ...schema, type: schema.type.find((each) => each !== 'null') ?? '' }
    : schema.anyOf?.find(({ type }) => type !== 'null');
  if (nullable) return valuesAgainst(nullable).filter((value) => value !== null);
  switch (schema.type) {
    case 'string':
      return [7, null, ['x'], ...(schema.enum ? ['nonsense', ''] : []), ...tooLong(schema)];
    case 'integer':
      return ['1', 1.5, null, (schema.minimum ?? 1) - 1, (schema.maximum ?? Number.MAX_SAFE_INTEGER) + 1];
    case 'array':
      return ['x', {}, null, ...valuesAgainst(schema.items!).map((value) => [value])];
    case 'object':
      return ['x', [], null, {}];
    default:
      throw new Error(`There are no values against ${JSON.stringify(schema)}.`);
  }
}

function parameterFaults({ in: place, name, schema }: Parameter, path: string): (Omit<Fault, 'ask'> & { ask?: Ask })[] {
  const encoded = (text: string) => `${name}=${encodeURIComponent(text)}`;
  if (place === 'header')
    return textsAgainst(schema).map((text) => ({
      title: `${name}: ${text.length} characters`,
      status: 400,
      ask: { headers: { [name]: text } },
    }));
  if (place === 'query')
    return [
      ...textsAgainst(schema).map((text) => ({
        title: `?${name}=${text.slice(0, 20)}`,
        status: 400,
        path: `${path}?${encoded(text)}`,
      })),
      { title: `?${name} twice`, status: 400, path: `${path}?${encoded('1')}&${encoded('1')}` },
    ];
  const spoil = (text: string) => path.replace(`{${name}}`, text).replace(/\{\w+\}/g, 'x');
  return [
    { title: 'A path that cannot be read', status: 400, path: spoil('%zz') },
    ...textsAgainst(schema).map((text) => ({
      title: `${name}: ${text.length} characters`,
      status: 400,
      path: spoil(text),
    })),
  ];
}

const withBody = (title: string, body: string | Buffer, type: string, status = 400): Fault => ({
  title,
  status,
  ask: { headers: { 'Content-Type': type }, body },
});

function jsonFaults(
  api: OpenApi,
  { operationId, requestBody }: PlacedOperation,
  valid: Record<string, unknown>,
): Fault[] {
  const { schema } = requestBody!.content['application/json']!;
  const sent = (title: string, body: string, status = 400) => withBody(title, body, 'application/json', status);
  const spoiled = Object.entries(schema.properties!).flatMap(([name, property]) => [
    ...valuesAgainst(property).map((value) => ({ ...valid, [name]: value })),
    ...(schema.required?.includes(name)
      ? [Object.fromEntries(Object.entries(valid).filter(([field]) => field !== name))]
      : []),
  ]);
  for (const body of spoiled) expect([body, api.isValid(schema, body)]).toEqual([body, false]);
  return [
    ...spoiled.map((body) => sent(JSON.stringify(body).slice(0, 80), JSON.stringify(body))),
    ...(requestBody!.required
      ? [sent('an empty object', '{}'), { title: 'no body', status: 400, ask: { body: undefined } }]
      : []),
    sent('a list', '[]'),
    sent('a text', '"x"'),
    sent('null', 'null'),
    sent('A body that is not JSON', '{"x":'),
    sent('bytes that are no JSON', 'x=1'),
    withBody('another media type', JSON.stringify(valid), 'text/plain'),
    withBody('a form', 'x=1', 'application/x-www-form-urlencoded'),
    sent('nested too deeply', `{"x":${'['.repeat(20)}${']'.repeat(20)}}`),
    // A delta upload may list every file of its plan: such a body is read, and is no input.
    operationId === 'deployments.begin'
      ? sent('20 MiB without files', LARGE)
      : sent('A body that is too large', LARGE, 413),
  ];
}

function formFaults({ requestBody }: PlacedOperation): Fault[] {
  const { schema } = requestBody!.content['multipart/form-data']!;
  const sent = (title: string, { contentType, body }: Form) => withBody(title, body, contentType);
  const hello = [file('index.html', 'hello')];
  const whole = withChecksums(hello);
  const fields = Object.entries(schema.properties!).filter(([name]) => name !== FILES_FIELD);
  return [
    ...fields.map(([name]) => sent(`${name} twice`, multipart([...whole, field(name, '"x"'), field(name, '"x"')]))),
    ...fields
      .filter(([, { type }]) => type === 'integer')
      .flatMap(([name, { minimum, maximum }]) =>
        ['x', '1.5', '', String(minimum! - 1), String(maximum! + 1)].map((text) =>
          sent(`${name}=${text}`, multipart([...whole, field(name, text)])),
        ),
      ),
    ...fields
      .filter(([, { pattern }]) => pattern)
      .flatMap(([name]) =>
        ['x', '{}', '[1]'].map((text) =>
          sent(`${name}=${text}`, multipart([...(name === 'checksums' ? hello : whole), field(name, text)])),
        ),
      ),
    sent('no files', multipart([field('checksums', '[]')])),
    sent('no checksums', multipart(hello)),
    sent('nothing', multipart([])),
    sent('an unknown field', multipart([...whole, field('other', 'x')])),
    sent('half a form', multipart(whole, { closed: false })),
    withBody('JSON', '{}', 'application/json'),
    { title: 'no body', status: 400, ask: { headers: {}, body: undefined } },
  ];
}

const LARGE = `{"x":"${'x'.repeat(20 * 1024 ** 2)}"}`;

/** All faults of an operation that follow from the document. */
export function faultsOf(api: OpenApi, operation: PlacedOperation, valid: Input): Fault[] {
  const { path, parameters = [], requestBody } = operation;
  const body = bodyOf(valid);
  const faults = parameters
    .flatMap((parameter) => parameterFaults(parameter, path))
    .map((fault) => ({
      ...fault,
      ask: { ...body, ...fault.ask, headers: { ...body.headers, ...fault.ask?.headers } },
    }));
  if (!requestBody) return faults;
  return [...faults, ...bodyFaults(api, operation, valid)];
}

function bodyFaults(api: OpenApi, operation: PlacedOperation, { json, contents }: Input): Fault[] {
  if (contents) return contentsFaults(contents);
  return 'application/json' in operation.requestBody!.content
    ? jsonFaults(api, operation, { ...(json as object | undefined) })
    : formFaults(operation);
}

function contentsFaults(contents: Buffer): Fault[] {
  return [
    withBody('another media type', contents, 'application/octet-stream'),
    withBody('half a head', contents.subarray(0, 20), CONTENTS_TYPE),
    withBody('half a content', contents.subarray(0, -1), CONTENTS_TYPE),
    withBody('what was not asked for', contentOf(''), CONTENTS_TYPE),
    { title: 'compressed', status: 400, ask: { headers: { 'Content-Encoding': 'gzip' }, body: contents } },
  ];
}
