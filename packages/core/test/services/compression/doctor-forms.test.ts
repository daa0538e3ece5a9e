import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compressDeployments } from '../../../src/services/compression/compress-deployments.ts';
import { doctor, type DoctorEvent } from '../../../src/services/doctor/doctor.ts';
import { type CompressionWorld, createCompressionWorld, expectForms, hashOf, textOf } from './compression-world.ts';

let world: CompressionWorld;
let site: string;
let text: string;
beforeAll(async () => {
  world = await createCompressionWorld();
});
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

/** Has the forms of the site made anew. */
async function mend(): Promise<void> {
  expect(await findings({ fix: true })).toMatchObject([{ severity: 'damage', fixed: true }]);
  expect(await compressDeployments(world.core, world.compressor)).toBe(1);
  await expectForms(world, text);
  expect(await findings()).toEqual([]);
}

describe('contract §8: a doctor on compressed forms', () => {
  it('finds nothing wrong with sound ones, and says how many there are', async () => {
    expect(await examine()).toEqual([
      {
        check: 'forms',
        kind: 'note',
        message: expect.stringMatching(/^\d+ contents are kept in compressed forms too, \d+ bytes/),
      },
    ]);
  });

  it('finds one bit that was flipped, names the site, and has the forms made anew', async () => {
    const pack = await damage();
    expect(await findings()).toEqual([
      {
        check: 'forms',
        kind: 'finding',
        severity: 'damage',
        message: `Content ${hashOf(text)} in pack ${pack} as zstd does not have the bytes it was stored with.`,
        fixed: false,
        pack,
        content: hashOf(text),
        deployments: [site],
      },
    ]);
    await mend();
  });

  it('finds a form of something else', async () => {
    const { forms } = (await world.recorded()).get(hashOf(text))!;
    await world.test.database.query(`update compression set forms = $2 where content_hash = decode($1, 'hex')`, [
      hashOf(text),
      { ...forms, gzip: forms.br },
    ]);
    expect(await findings()).toMatchObject([{ message: expect.stringContaining('as gzip cannot be read') }]);
    await mend();
  });

  it('finds a pack of forms that is missing', async () => {
    const { pack } = (await world.recorded()).get(hashOf(text))!;
    await unlink(fileOf(pack!));
    expect((await findings()).map(({ message }) => message)).toEqual([
      `The file of pack ${pack} is missing.`,
      expect.stringContaining('as br cannot be read'),
    ]);
    await findings({ fix: true });
    expect(await compressDeployments(world.core, world.compressor)).toBe(1);
    await expectForms(world, text);
    await world.test.database.query('delete from pack where id = $1', [pack]);
  });

  it('finds sites that wait too long to be compressed', async () => {
    await world.test.database.query(`update deployment set compress_at = now() - interval '11 minutes' where id = $1`, [
      site,
    ]);
    expect(await findings()).toMatchObject([
      { check: 'backlog', severity: 'advice', message: expect.stringMatching(/^1 deployments wait/) },
    ]);
    await compressDeployments(world.core, world.compressor);
  });
});
