import { describe, expect, it } from 'vitest';
import { appRouter } from '@berth/core';
import { decodeParams, OperationTable } from '../../src/api-host/operation-table.ts';
import { operationsOf } from '../../src/api-host/operations.ts';

const table = new OperationTable<string>();
for (const { name, openapi } of operationsOf(appRouter)) table.add(openapi, name);

describe('OperationTable', () => {
  it.each(operationsOf(appRouter).map(({ name, openapi }) => [name, openapi.method, openapi.path]))(
    'finds %s at %s %s',
    (name, method, template) => {
      const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, variable]) => variable!);
      const path = template.replace(/\{(\w+)\}/g, 'value-of-$1');
      const params = Object.fromEntries(names.map((variable) => [variable, `value-of-${variable}`]));
      expect(table.find(method, path)).toEqual({ value: name, params });
    },
  );

  it.each([
    ['GET', '/'],
    ['GET', '/deployments/'],
    ['GET', '/Deployments'],
    ['GET', '//deployments'],
    ['GET', '/deployments/x/'],
    ['GET', '/domains//records'],
    ['BREW', '/deployments'],
    ['GET', '/__proto__'],
    ['GET', '/__proto__/constructor'],
  ])('finds nothing at %s %s', (method, path) => {
    expect(table.find(method, path)).toBeNull();
  });

  it('finds the operation of GET for HEAD', () => {
    expect(table.find('HEAD', '/deployments')?.value).toBe('deployments.list');
  });

  it('finds a fixed path before one with a variable', () => {
    expect(table.find('POST', '/domains/validate')?.value).toBe('domains.validate');
  });

  it('decodes each value once', () => {
    expect(decodeParams({ label: 'a%252Fb', domain: 'x' })).toEqual({ label: 'a%2Fb', domain: 'x' });
  });
});
