import { createConfig, lintFromString } from '@redocly/openapi-core';
import { useServer } from '@berth/testing/use-server';
import { expect, it } from 'vitest';

const server = useServer();

/** This rule refuses the address of the tested server, localhost. */
const OFF = { 'no-server-example.com': 'off' } as const;

it.each(['/openapi.json', '/openapi-3.0.json'])('api §9: a widespread linter finds no problem in %s', async (path) => {
  const config = await createConfig({ extends: ['recommended'], rules: OFF });
  const lint = (source: string) => lintFromString({ source, absoluteRef: path, config });
  const { text } = await server().api(path, { key: null });
  const problems = (await lint(text)).map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]);
  expect(problems).toEqual([]);
  expect(await lint(text.replace('"operationId":"platformPing"', '"operationId":"tokensList"'))).toMatchObject([
    { ruleId: 'operation-operationId-unique' },
  ]);
});
