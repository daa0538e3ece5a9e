import { defineEntity, p } from '@mikro-orm/core';
import { TextArray } from './text-array.ts';
import { Deployment } from './deployment.ts';

export const ManifestSchema = defineEntity({
  name: 'Manifest',
  tableName: 'manifest',
  properties: {
    deployment: () => p.oneToOne(Deployment).primary().deleteRule('cascade').owner(),
    /** The path of each file. */
    paths: p.type(TextArray),
    /** Their SHA-256, 32 bytes each, in the order of the paths. */
    hashes: p.blob(),
    /** Their sizes in bytes, in the same order. */
    sizes: p.array<number>().columnType('bigint[]'),
    /** The compiled rule files, as `RuleData` of serving; `null` if there are none. */
    rules: p.json<object>().nullable(),
  },
});

/** The files of a deployment in one row. Their location is in `content`, so that the bytes can move to another pack. */
export class Manifest extends ManifestSchema.class {}
ManifestSchema.setClass(Manifest);
