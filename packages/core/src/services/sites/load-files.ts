import type { Coding, CompressedForms, SiteFile, StoredBytes } from '@berth/serving';
import type { Core } from '../../core.ts';
import type { CompressedForm } from '../../entities/index.ts';
import { positionAt } from './path-index.ts';

/** In the column `hashes`, the hash of each file has 32 bytes. */
const HASH_BYTES = 32;

interface FileRow extends StoredBytes {
  formsPack: string | null;
  forms: Partial<Record<Coding, CompressedForm>> | null;
}

const FILE = `
  select encode(c.hash, 'hex') as sha256, c.pack_id as pack, c."offset"::float8 as "offset", c.length::float8 as length,
    k.pack_id as "formsPack", k.forms
  from manifest m
  join content c on c.hash = substring(m.hashes from ${positionAt('m.path_positions', '$2')} * ${HASH_BYTES} + 1 for ${HASH_BYTES})
  left join compression k on k.content_hash = c.hash and k.pack_id is not null
  where m.deployment_id = $1`;

/**
 * Loads the file of a deployment at a rank of its path index. Reads a few bytes of the manifest, however many files it has.
 *
 * @throws with code `ENOENT` if the manifest or the content is gone.
 */
export async function loadFile({ database }: Core, deployment: string, rank: number): Promise<SiteFile> {
  const [row] = await database.prepared<FileRow>(FILE, [deployment, rank]);
  if (!row)
    throw Object.assign(new Error(`Deployment ${deployment} or one of its contents is gone`), { code: 'ENOENT' });
  const { formsPack, forms, ...file } = row;
  return withForms(file, formsPack, forms);
}

function withForms(file: StoredBytes, formsPack: FileRow['formsPack'], forms: FileRow['forms']): SiteFile {
  return formsPack === null || forms === null ? file : { ...file, compressed: toForms(formsPack, forms) };
}

function toForms(pack: string, forms: Partial<Record<Coding, CompressedForm>>): CompressedForms {
  return Object.fromEntries(
    Object.entries(forms).map(([coding, { sha256, offset, length }]) => [coding, { sha256, pack, offset, length }]),
  );
}

type ListedFile = [
  path: string,
  sha256: string,
  pack: string,
  offset: number,
  length: number,
  formsPack: FileRow['formsPack'],
  forms: FileRow['forms'],
];

const FILES = `
  select (select json_agg(json_build_array(f.path, encode(c.hash, 'hex'), c.pack_id, c."offset", c.length, k.pack_id, k.forms))
      from unnest(m.paths) with ordinality as f (path, position)
      join content c on c.hash = substring(m.hashes from (f.position::int - 1) * ${HASH_BYTES} + 1 for ${HASH_BYTES})
      left join compression k on k.content_hash = c.hash and k.pack_id is not null) as files
  from deployment d join manifest m on m.deployment_id = d.id
  where d.id = $1 and d.status = 'success'`;

/** Loads all files of a deployment in one query; `null` if the deployment does not exist or is not `success`. */
export async function loadFiles({ database }: Core, deployment: string): Promise<ReadonlyMap<string, SiteFile> | null> {
  const [row] = await database.prepared<{ files: ListedFile[] | null }>(FILES, [deployment]);
  if (!row?.files) return null;
  return new Map(
    row.files.map(([path, sha256, pack, offset, length, formsPack, forms]) => [
      path,
      withForms({ sha256, pack, offset, length }, formsPack, forms),
    ]),
  );
}
