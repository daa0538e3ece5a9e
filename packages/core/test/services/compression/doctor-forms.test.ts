import { unlink } from 'node:fs/promises';
import { flipBit, packFile } from '@berth/testing/core';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { compressDeployments } from '../../../src/services/compression/compress-deployments.ts';
import { doctor } from '../../../src/services/doctor/doctor.ts';
import { createCompressionWorld, expectForms, hashOf, textOf } from './compression-world.ts';

let site: string;
let text: string;
const world = await createCompressionWorld();
const { test, core, compressor, deploy, recorded } = world;
afterAll(() => world.close());
beforeEach(async () => {
  text = textOf(crypto.randomUUID());
  site = await deploy({ 'index.html': text });
  await compressDeployments(core, compressor);
});

async function runDoctor(fix = false) {
  const events = await Array.fromAsync(doctor(core, { fix, graceMs: 0, apiHost: 'api.example.com' }));
  return events.filter(({ check }) => check !== 'isolation');
}
const findings = async (fix = false) => (await runDoctor(fix)).filter((event) => event.kind === 'finding');

/** Fixes the damage and compresses the site again. */
async function repair(): Promise<void> {
  expect(await findings(true)).toMatchObject([{ severity: 'damage', fixed: true }]);
  expect(await compressDeployments(core, compressor)).toBe(1);
  await expectForms(world, text);
  expect(await findings()).toEqual([]);
}

describe('api §8: the doctor', () => {
  it('finds no problem in intact compressed forms, and reports their number', async () => {
    expect(await findings()).toEqual([]);
    const message = expect.stringMatching(/^\d+ contents also have compressed forms, \d+ bytes/);
    const notes = (await runDoctor()).filter(({ kind }) => kind === 'note');
    expect(notes).toEqual([{ check: 'forms', kind: 'note', message }]);
  });

  it('finds a flipped bit in a compressed form, names the affected deployment, and repairs the form', async () => {
    const { pack, forms } = (await recorded()).get(hashOf(text))!;
    await flipBit(packFile(test, pack!), forms.zstd!.offset + 20);
    expect(await findings()).toEqual([
      {
        check: 'forms',
        kind: 'finding',
        severity: 'damage',
        message: `Content ${hashOf(text)} in pack ${pack}: the zstd form does not match its hash.`,
        fixed: false,
        pack,
        content: hashOf(text),
        deployments: [site],
      },
    ]);
    await repair();
  });

  it('finds a compressed form that has the bytes of another form, and repairs it', async () => {
    const { forms } = (await recorded()).get(hashOf(text))!;
    await test.database.query(`update compression set forms = $2 where content_hash = decode($1, 'hex')`, [
      hashOf(text),
      { ...forms, gzip: forms.br },
    ]);
    expect(await findings()).toMatchObject([{ message: expect.stringContaining('the gzip form cannot be read') }]);
    await repair();
  });

  it('finds a missing pack of compressed forms, and repairs the forms', async () => {
    const { pack } = (await recorded()).get(hashOf(text))!;
    await unlink(packFile(test, pack!));
    expect((await findings()).map(({ message }) => message)).toEqual([
      `The file of pack ${pack} is missing.`,
      expect.stringContaining('the br form cannot be read'),
    ]);
    await findings(true);
    expect(await compressDeployments(core, compressor)).toBe(1);
    await expectForms(world, text);
    await test.database.query('delete from pack where id = $1', [pack]);
  });

  it('reports a deployment that has been due for compression for 11 minutes', async () => {
    await test.database.query(`update deployment set compress_at = now() - interval '11 minutes' where id = '${site}'`);
    const message = expect.stringMatching(/^1 deployments have been waiting/);
    expect(await findings()).toMatchObject([{ check: 'backlog', severity: 'advice', message }]);
    await compressDeployments(core, compressor);
  });
});
