import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { compressDeployments } from '../../../src/services/compression/compress-deployments.ts';
import { doctor, type DoctorEvent } from '../../../src/services/doctor/doctor.ts';
import { createCompressionWorld, expectForms, hashOf, textOf } from './compression-world.ts';

let site: string;
let text: string;
const world = await createCompressionWorld();
afterAll(() => world.close());
beforeEach(async () => {
  text = textOf(crypto.randomUUID());
  site = await world.deploy({ 'index.html': text });
  await compressDeployments(world.core, world.compressor);
});

type Found = Extract<DoctorEvent, { kind: 'finding' }>;

async function examine({ fix = false } = {}): Promise<DoctorEvent[]> {
  const events = await Array.fromAsync(doctor(world.core, { fix, graceMs: 0, apiHost: 'api.example.com' }));
  return events.filter(({ check, kind }) => check !== 'isolation' && kind !== 'check' && kind !== 'progress');
}
const findings = async (options: { fix?: boolean } = {}) =>
  (await examine(options)).filter((event): event is Found => event.kind === 'finding');
const fileOf = (pack: string) => join(world.test.packsDir, pack.slice(0, 1), `${pack}.pack`);

/** Changes one byte of a form on the disk. */
async function damage(): Promise<string> {
  const { pack, forms } = (await world.recorded()).get(hashOf(text))!;
  const handle = await open(fileOf(pack!), 'r+');
  const byte = Buffer.alloc(1);
  await handle.read(byte, 0, 1, forms.zstd!.offset + 20);
  byte[0]! ^= 1;
  await handle.write(byte, 0, 1, forms.zstd!.offset + 20);
  await handle.close();
  return pack!;
}

/** Fixes the damage and compresses the site again. */
async function repair(): Promise<void> {
  expect(await findings({ fix: true })).toMatchObject([{ severity: 'damage', fixed: true }]);
  expect(await compressDeployments(world.core, world.compressor)).toBe(1);
  await expectForms(world, text);
  expect(await findings()).toEqual([]);
}

describe('api §8: the doctor on compressed forms', () => {
  it('finds no problem in intact forms, and reports how many there are', async () => {
    expect(await examine()).toEqual([
      {
        check: 'forms',
        kind: 'note',
        message: expect.stringMatching(/^\d+ contents also have compressed forms, \d+ bytes/),
      },
    ]);
  });

  it('finds a flipped bit and the affected deployment, and has the forms compressed again', async () => {
    const pack = await damage();
    expect(await findings()).toEqual([
      {
        check: 'forms',
        kind: 'finding',
        severity: 'damage',
        message: `Content ${hashOf(text)} in pack ${pack} does not match its hash as zstd.`,
        fixed: false,
        pack,
        content: hashOf(text),
        deployments: [site],
      },
    ]);
    await repair();
  });

  it('finds a form with other bytes', async () => {
    const { forms } = (await world.recorded()).get(hashOf(text))!;
    await world.test.database.query(`update compression set forms = $2 where content_hash = decode($1, 'hex')`, [
      hashOf(text),
      { ...forms, gzip: forms.br },
    ]);
    expect(await findings()).toMatchObject([{ message: expect.stringContaining('cannot be read as gzip') }]);
    await repair();
  });

  it('finds a missing pack of forms', async () => {
    const { pack } = (await world.recorded()).get(hashOf(text))!;
    await unlink(fileOf(pack!));
    expect((await findings()).map(({ message }) => message)).toEqual([
      `The file of pack ${pack} is missing.`,
      expect.stringContaining('cannot be read as br'),
    ]);
    await findings({ fix: true });
    expect(await compressDeployments(world.core, world.compressor)).toBe(1);
    await expectForms(world, text);
    await world.test.database.query('delete from pack where id = $1', [pack]);
  });

  it('finds deployments that have waited too long for compression', async () => {
    await world.test.database.query(`update deployment set compress_at = now() - interval '11 minutes' where id = $1`, [
      site,
    ]);
    expect(await findings()).toMatchObject([
      { check: 'backlog', severity: 'advice', message: expect.stringMatching(/^1 deployments have been waiting/) },
    ]);
    await compressDeployments(world.core, world.compressor);
  });
});
