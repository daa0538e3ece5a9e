import { afterAll, describe, expect, it } from 'vitest';
import { commitUpload } from '../../../src/services/uploads/commit-upload.ts';
import { createTestCore, deploySite, readSite } from '@berth/testing/core';
import { begin, listOf, publishDelta, sendMissing, type UploadFiles } from '@berth/testing/uploads';

const HOME = { 'index.html': 'home' };

const test = await createTestCore();
const { caller } = await test.account();
const base = (await deploySite(test.core, caller, HOME)).body.deployment;
afterAll(() => test.close());

const WAYS: [title: string, deploy: (files: UploadFiles) => Promise<unknown>][] = [
  ['a multipart deploy', (files) => deploySite(test.core, caller, files)],
  [
    'a multipart deploy that arrives in single bytes',
    (files) => deploySite(test.core, caller, files, { chunkBytes: 1 }),
  ],
  [
    'a multipart deploy with a password',
    (files) => deploySite(test.core, caller, files, { fields: { password: 'hunter22' } }),
  ],
  ['a delta upload', (files) => publishDelta(test.core, caller, files)],
  [
    'a delta upload on a base',
    async (files) => {
      const begunUpload = await begin(test.core, caller, { base, put: listOf(files), remove: [] });
      await sendMissing(test.core, caller, begunUpload, files);
      return commitUpload({ core: test.core, caller }, begunUpload.upload);
    },
  ],
];

const FILES: [file: string, text: string, place: string][] = [
  ['_headers', '/*\r\n  X-A: 1\r\n  basic-auth : jane:hunter2\r\n', 'line 3'],
  [
    'ship.json',
    JSON.stringify({ headers: [{ source: '/(.*)', headers: [{ key: 'BASIC-Auth', value: 'jane:hunter2' }] }] }),
    'headers[0].headers[0].key',
  ],
  ['netlify.toml', '[[headers]]\nfor = "/*"\n[headers.values]\nBasic-Auth = "jane:hunter2"\n', 'line 4'],
];

describe.each(WAYS)('api §3: %s', (_, deploy) => {
  it.each(FILES)('with Basic-Auth in %s is refused, and the message points to password', async (file, text, place) => {
    const deployments = () => test.database.query('select id from deployment');
    const before = await deployments();
    const message = `${file}: ${place}: Basic-Auth has no effect here, so the site would be public. `;
    await expect(deploy({ ...HOME, [file]: text })).rejects.toMatchObject({
      status: 400,
      code: 'validation_failed',
      message: `${message}Remove it and deploy with a password instead ("password", or --password on the command line).`,
      details: { file },
    });
    expect(await deployments()).toEqual(before);
  });
});

it('api §3: a file of that name in a folder is not a rule file and may contain Basic-Auth', async () => {
  const files = Object.fromEntries(FILES.map(([file, text]) => [`docs/${file}`, text]));
  const { body } = await deploySite(test.core, caller, files);
  expect(Object.keys((await readSite(test.core, body.deployment))!)).toHaveLength(FILES.length);
});
