import { defineEntity, p } from '@mikro-orm/core';
import { TextArray } from './text-array.ts';
import { Deployment } from './deployment.ts';

const ManifestSchema = defineEntity({
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
    /** What its rule files say, as `RuleData` of serving; `null` when it has none. */
    rules: p.json<object>().nullable(),
  },
});

/** What a deployment consists of, in one row. Where the bytes lie is told by `content`, so that they can move. */
export class Manifest extends ManifestSchema.class {}
ManifestSchema.setClass(Manifest);
