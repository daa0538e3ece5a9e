import { writeFile } from 'node:fs/promises';
import { appRouter } from '@berth/core';
import { openApiDocument } from './openapi.ts';
import { readConfig } from '../config/config.ts';
import { VERSION } from '../version.ts';

export const OPENAPI_FILE = new URL('../../../../docs/openapi.json', import.meta.url);

/** Renders the OpenAPI document of a server at the default address, as it is stored in the repository. */
export function renderOpenApi(): string {
  const baseUrl = readConfig({}).baseUrl.origin;
  return `${JSON.stringify(openApiDocument({ router: appRouter, baseUrl, version: VERSION }), null, 2)}\n`;
}

if (import.meta.main) await writeFile(OPENAPI_FILE, renderOpenApi());
