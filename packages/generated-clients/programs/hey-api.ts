import { client } from './client/client.gen.ts';
import { deploymentsCreate, deploymentsGet, deploymentsList, tokensCreate } from './client/sdk.gen.ts';
import type { Outcome, Program } from './outcome.ts';

/** The generated client has the address of the server from the document. */
export const program: Program = async ({ key }, sites) => {
  client.setConfig({ auth: key });
  const outcome: Outcome = { published: [], listed: [], pages: 0, missing: '', invalidField: '' };

  for (const { zip } of sites) {
    const { data, error } = await deploymentsCreate({ body: zip });
    if (!data) throw new Error(error?.message);
    outcome.published.push(data.url);
  }

  let cursor: string | undefined;
  do {
    const { data, error } = await deploymentsList({ query: { limit: 2, cursor } });
    if (!data) throw new Error(error?.message);
    outcome.listed.push(...data.deployments.map(({ url }) => url));
    outcome.pages += 1;
    cursor = data.nextCursor;
  } while (cursor !== undefined);

  const missing = await deploymentsGet({ path: { deployment: 'not-here-0000000' } });
  if (missing.error?.error === 'not_found') outcome.missing = missing.error.message;
  const invalid = await tokensCreate({ body: { labels: ['X'] } });
  if (invalid.error?.error === 'validation_failed')
    outcome.invalidField = invalid.error.details?.issues?.[0]?.path ?? '';
  return outcome;
};
