import type { UploadFile } from '@berth/contract';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { unavailable } from '../../errors.ts';
import type { RuleFiles } from '@berth/serving';
import type { ContentLocation } from '../../storage/packs.ts';
import { createContentCheck } from '../deployments/deploy-files.ts';
import { byteaArray } from '../packs/contents.ts';

/**
 * Checks the stored bytes of files whose names require it: those that may contain a private key, and rule files. A
 * content can be published under another name than it was uploaded with, so it is checked each time.
 *
 * @returns The rule files.
 * @throws `validation_failed` naming the file whose content is refused. Source: api §3; serving S22.
 */
export async function checkContents(core: Core, files: readonly UploadFile[]): Promise<RuleFiles> {
  const ruleFiles: RuleFiles = {};
  const checks = files.flatMap(({ path, sha256 }) => {
    const check = createContentCheck(path, ruleFiles);
    return check ? [{ sha256, check }] : [];
  });
  if (checks.length === 0) return ruleFiles;
  const locations = await locationsOf(core, [...new Set(checks.map(({ sha256 }) => sha256))]);
  for (const { sha256, check } of checks) {
    const location = locations.get(sha256);
    if (!location) throw unavailable('Some of the content was just removed; begin the upload again.');
    for await (const chunk of core.packs.stream(location)) check.write(chunk as Buffer);
    check.end();
  }
  return ruleFiles;
}

async function locationsOf(core: Core, hashes: readonly string[]): Promise<Map<string, ContentLocation>> {
  const { rows } = await sql<ContentLocation & { sha256: string }>`
    select encode(hash, 'hex') as sha256, pack_id as pack, "offset"::float8 as "offset", length::float8 as length
    from content where hash = any(${byteaArray(hashes)}::bytea[])`.execute(db(core));
  return new Map(rows.map((row) => [row.sha256, row]));
}
