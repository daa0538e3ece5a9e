import { setAccountState } from '../../../src/services/accounts/account-directory.ts';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../../src/core.ts';
import { checksumsOf, createTestCore } from '@berth/testing/core';
import { stateOf } from '@berth/testing/invariants';
import { begin, listOf, sha256Of, uploadAll } from '@berth/testing/uploads';
import { addToken, deleteToken } from '../../../src/services/accounts/tokens.ts';
import { authenticate } from '../../../src/services/authentication.ts';
import { beginDeploy } from '../../../src/services/deployments/deploy.ts';
import { readIdempotencyKey } from '../../../src/services/deployments/idempotency.ts';
import { commitUpload } from '../../../src/services/uploads/commit-upload.ts';
import { receiveContents } from '../../../src/services/uploads/receive-contents.ts';

const DOMAIN = 'shop.sites.test';
let owner: AccountCaller;
let caller: AccountCaller;
const test = await createTestCore();
const { core } = test;
beforeEach(async () => {
  ({ caller: owner } = await test.account('pro'));
  const { secret } = await addToken({ core, caller: owner }, { kind: 'deploy', ttl: 60, domains: [DOMAIN] });
  caller = (await authenticate(core, `Bearer ${secret}`, '127.0.0.1')) as AccountCaller;
});
afterAll(() => test.close());

/** Requests whose body is still arriving. Each function resolves with a function that finishes the request. */
const REQUESTS: [string, () => Promise<() => Promise<unknown>>][] = [
  ['a multipart deploy', () => deploying()],
  ['a multipart deploy to a domain', () => deploying(undefined, { domain: DOMAIN })],
  [
    'a multipart deploy that repeats an earlier one',
    async () => {
      const endDeploy = await deploying('again');
      await endDeploy();
      return deploying('again');
    },
  ],
  [
    'a body of contents',
    async () => {
      const files = { 'index.html': randomUUID() };
      const { upload } = await begin(core, caller, { files: listOf(files) });
      return startReceiving(upload, files['index.html']);
    },
  ],
  [
    'a body of contents that were received already',
    async () => {
      const files = { 'index.html': randomUUID() };
      const { upload } = await uploadAll(core, caller, files);
      return startReceiving(upload, files['index.html']);
    },
  ],
  [
    'a commit of an upload to a domain',
    async () => {
      const { upload } = await uploadAll(core, caller, { 'index.html': randomUUID() }, { domain: DOMAIN });
      return () => commitUpload({ core, caller }, upload);
    },
  ],
  ['the beginning of an upload', async () => () => begin(core, caller, { files: listOf({ a: randomUUID() }) })],
];

const SITE = { 'index.html': 'same' };
async function deploying(key?: string, fields: Record<string, string> = {}): Promise<() => Promise<unknown>> {
  const deploy = await beginDeploy({ core, caller }, readIdempotencyKey(key, caller));
  for (const [name, value] of Object.entries({ checksums: checksumsOf(SITE), ...fields })) deploy.form.add(name, value);
  const sink = deploy.files.begin('index.html');
  await sink.write(Buffer.from(SITE['index.html']));
  sink.end();
  return () => deploy.commit().finally(() => deploy.close());
}
async function startReceiving(upload: string, bytes: string): Promise<() => Promise<unknown>> {
  const body = await receiveContents({ core, caller }, upload);
  const sink = body.begin(sha256Of(bytes), bytes.length);
  await sink.write(Buffer.from(bytes));
  sink.end();
  return () => body.keep().finally(() => body.close());
}

const LOSSES_OF_ACCESS = [
  ['was revoked', 401, () => deleteToken({ core, caller: owner }, caller.token)],
  ['has expired', 401, async () => test.advance(61)],
  ['belongs to an account that was suspended', 403, () => setAccountState(core, owner.account, 'suspended')],
  ['belongs to an account that was terminated', 403, () => setAccountState(core, owner.account, 'terminated')],
] as const;

describe.each(REQUESTS)('api §5: %s', (_, start) => {
  it.each(LOSSES_OF_ACCESS)('changes nothing if its credential %s during the request', async (__, status, lose) => {
    const endReceiving = await start();
    await lose();
    const stateBefore = await stateOf(test);
    await expect(endReceiving()).rejects.toMatchObject({ status });
    const stateAfter = { ...stateBefore, activePacks: expect.any(Number), pack: expect.any(Number) };
    expect(await stateOf(test)).toEqual(stateAfter);
  });
});

describe('api §5: a credential that is revoked', () => {
  it('publishes nothing after the response to the revocation, in any order of requests', async () => {
    for (let i = 0; i < 12; i += 1) {
      const { secret, token } = await addToken({ core, caller: owner }, { kind: 'deploy' });
      caller = (await authenticate(core, `Bearer ${secret}`, '127.0.0.1')) as AccountCaller;
      const endDeploy = await deploying();
      const published = async () =>
        (await test.database.query('select id from deployment where account_id = $1', [owner.account])).length;
      const publishedBefore = await published();
      const publishedAfterRevoking = deleteToken({ core, caller: owner }, token).then(published);
      const [atRevocation, outcome] = await Promise.all([
        publishedAfterRevoking,
        endDeploy().then(
          () => 'published',
          (error: { status: number }) => error.status,
        ),
      ]);
      // Either the deploy commits first, so that the deployment exists after the revocation, or the deploy is refused.
      expect([outcome, atRevocation - publishedBefore]).toEqual(outcome === 'published' ? ['published', 1] : [401, 0]);
    }
  });
});
