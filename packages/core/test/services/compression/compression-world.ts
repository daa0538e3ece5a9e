import { hash } from 'node:crypto';
import { expect } from 'vitest';
import type { Coding } from '@berth/serving';
import { createTestCore, deploySite, type TestFiles } from '@berth/testing/core';
import { type Compressor, createCompressor } from '../../../src/compressor/compressor.ts';
import { decompressForm } from '../../../src/compressor/forms.ts';
import type { Core } from '../../../src/core.ts';
import type { CompressedForm } from '../../../src/entities/index.ts';

type Forms = Partial<Record<Coding, CompressedForm>>;

export type CompressionWorld = Awaited<ReturnType<typeof createCompressionWorld>>;

/** Creates a core, an account, and a compressor. */
export async function createCompressionWorld(overrides: Partial<Core> = {}) {
  const test = await createTestCore(overrides);
  const { core, database } = test;
  const { caller } = await test.account('pro');
  const compressor = createCompressor();
  return {
    test,
    core,
    caller,
    compressor,
    /** Publishes files. @returns The id of the deployment. */
    deploy: async (files: TestFiles) => (await deploySite(core, caller, files)).body.deployment,
    /** Returns the rows of compressed contents, by content. */
    async recorded() {
      const rows = await database.query<{ sha256: string; pack: string | null; forms: Forms }>(
        `select encode(content_hash, 'hex') as sha256, pack_id as pack, forms from compression`,
      );
      return new Map(rows.map((row) => [row.sha256, row]));
    },
    /** Returns when a deployment is due for compression. */
    async due(deployment: string) {
      const query = 'select compress_at as due from deployment where id = $1';
      return (await database.query<{ due: Date | null }>(query, [deployment]))[0]!.due;
    },
    async close() {
      compressor.close();
      await test.close();
    },
  };
}

/** Returns a text that is different for each name and compresses well. */
export const textOf = (name: string, size = 2_000) => `${name} lies at the quay; `.repeat(size).slice(0, size);

export const hashOf = (text: string | Uint8Array) => hash('sha256', text);

/** Checks that each form of a text is in a sealed pack at the recorded place, and decompresses to the text. */
export async function expectForms({ core, test, recorded }: CompressionWorld, text: string): Promise<void> {
  const { pack, forms } = (await recorded()).get(hashOf(text))!;
  expect(await test.database.query(`select state from pack where id = $1`, [pack])).toEqual([{ state: 'sealed' }]);
  expect(Object.keys(forms).toSorted()).toEqual(['br', 'gzip', 'zstd']);
  for (const [coding, { offset, length, sha256 }] of Object.entries(forms) as [Coding, CompressedForm][]) {
    const bytes = await core.packs.read({ pack: pack!, offset, length });
    expect(hashOf(bytes), coding).toBe(sha256);
    expect(Buffer.from(await decompressForm(coding, bytes, text.length)).toString(), coding).toBe(text);
  }
}

/** Wraps a compressor, and calls `before` for each content. */
export function withHook(compressor: Compressor, before: (sha256: string) => Promise<unknown> | unknown): Compressor {
  return {
    pid: null,
    close() {},
    async compress(content, signal) {
      await before(content.sha256);
      return compressor.compress(content, signal);
    },
  };
}
