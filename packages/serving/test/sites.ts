import { createHash } from 'node:crypto';
import type { Manifest } from '../src/site.ts';

/** Builds a manifest of files whose content is their path, all in one pack. */
export function manifestOf(...paths: string[]): Manifest {
  return new Map(
    paths.map((path, index) => [
      path,
      {
        pack: 'pack',
        offset: index * 1000,
        length: path.length,
        sha256: createHash('sha256').update(path).digest('hex'),
      },
    ]),
  );
}
