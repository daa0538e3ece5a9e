import { ERROR_STATUS } from '@berth/contract';
import { appRouter } from '@berth/core';
import { createTestDatabase } from '@berth/testing/database';
import { type Document, openApi, type Schema } from '@berth/testing/open-api';
import { expect, it, onTestFinished } from 'vitest';
import recorded from '../../../fixtures/frozen/server.json' with { type: 'json' };
import { renderOpenApi } from '../src/api-host/openapi-file.ts';
import { readCommands } from './operator/run-berth.ts';
import { readVariables } from './read-variables.ts';

/** Names that scripts, operators and backups rely on. New names may be added; recorded names must stay. */
const SURFACE: Record<keyof typeof recorded, () => string[] | Promise<string[]>> = {
  errors: () => Object.entries(ERROR_STATUS).map(([code, status]) => `${code} ${status}`),
  procedures: () => Object.keys(appRouter._def.procedures),
  rest: restFields,
  // Generators name the functions and types of clients after these.
  operationIds: () => readDocument().operations.map(({ operationId }) => operationId),
  schemas: () => Object.keys(readDocument().document.components.schemas),
  variables: () => [...readVariables()],
  operatorCommands: () =>
    [...readCommands()].flatMap(([name, { options }]) => [name, ...options.map(({ long }) => `${name} ${long}`)]),
  columns: readColumns,
};

it.each(Object.keys(SURFACE) as (keyof typeof recorded)[])('all recorded names in %s still exist', async (family) => {
  const current = new Set(await SURFACE[family]());
  expect(recorded[family].filter((name) => !current.has(name))).toEqual([]);
});

const readDocument = () => openApi(JSON.parse(renderOpenApi()) as Document);

function restFields(): string[] {
  const { document } = readDocument();
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [], requestBody, responses }]) => {
      const operation = `${method.toUpperCase()} ${path}`;
      return [
        operation,
        ...parameters.map((parameter) => `${operation} ${parameter.in}:${parameter.name}`),
        ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
          fieldsOf(document, schema).map((field) => `${operation} takes ${field}`),
        ),
        ...Object.entries(responses)
          .filter(([status]) => status.startsWith('2'))
          .flatMap(([status, { content = {} }]) =>
            Object.values(content).flatMap(({ schema }) =>
              fieldsOf(document, schema).map((field) => `${operation} ${status} ${field}`),
            ),
          ),
      ];
    }),
  );
}

function fieldsOf(document: Document, schema: Schema): string[] {
  if (schema.$ref) return fieldsOf(document, document.components.schemas[schema.$ref.split('/').at(-1)!]!);
  const variants = Object.values(schema as Record<string, unknown>)
    .filter(Array.isArray)
    .flat() as unknown[];
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
      name,
      ...fieldsOf(document, property).map((field) => (field.startsWith('[]') ? name + field : `${name}.${field}`)),
    ]),
    ...(schema.items ? fieldsOf(document, schema.items).map((field) => `[].${field}`) : []),
    ...variants.flatMap((variant) =>
      typeof variant === 'object' && variant !== null ? fieldsOf(document, variant as Schema) : [],
    ),
  ];
}

async function readColumns(): Promise<string[]> {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const rows = await database.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'`,
  );
  return rows.map(({ name }) => name);
}
