import { createHash } from 'node:crypto';
import createClient from 'openapi-fetch';
import type { components, paths } from './client/schema.ts';
import type { Outcome, Program } from './outcome.ts';

/** Encodes the form of a deploy, which openapi-fetch leaves to its caller. An archive needs no encoding. */
function encodeBody(body: components['schemas']['DeployForm'] | Blob): FormData | Blob {
  if (body instanceof Blob) return body;
  const { 'files[]': files, ...fields } = body;
  const form = new FormData();
  for (const file of files) form.append('files[]', file);
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  return form;
}

export const program: Program = async ({ baseUrl, key }, sites) => {
  const api = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });
  const outcome: Outcome = { published: [], listed: [], pages: 0, missing: '', invalidField: '' };

  for (const { files, zip } of sites) {
    const archived = await api.POST('/deployments', {
      body: zip,
      headers: { 'Content-Type': 'application/zip' },
      bodySerializer: encodeBody,
    });
    if (archived.error) throw new Error(archived.error.message);
    outcome.published.push(archived.data.url);

    const checksums = files.map(async (file) =>
      createHash('md5')
        .update(await file.bytes())
        .digest('hex'),
    );
    const sent = await api.POST('/deployments', {
      body: { 'files[]': files, checksums: JSON.stringify(await Promise.all(checksums)) },
      bodySerializer: encodeBody,
    });
    if (sent.error) throw new Error(sent.error.message);
    outcome.published.push(sent.data.url);
  }

  let cursor: string | undefined;
  do {
    const { data, error } = await api.GET('/deployments', { params: { query: { limit: 2, cursor } } });
    if (error) throw new Error(error.message);
    outcome.listed.push(...data.deployments.map(({ url }) => url));
    outcome.pages += 1;
    cursor = data.nextCursor;
  } while (cursor !== undefined);

  const missing = await api.GET('/deployments/{deployment}', { params: { path: { deployment: 'not-here-0000000' } } });
  if (missing.error?.error === 'not_found') outcome.missing = missing.error.message;
  const invalid = await api.POST('/tokens', { body: { labels: ['X'] } });
  if (invalid.error?.error === 'validation_failed')
    outcome.invalidField = invalid.error.details?.issues?.[0]?.path ?? '';
  return outcome;
};
