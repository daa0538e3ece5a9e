import type { StoredBytes } from '@berth/serving';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { hashAtPosition } from '../packs/contents.ts';
import { readContentOrNull } from '../packs/moved-contents.ts';
import { attemptTask } from '../worklist.ts';
import { type PageHead, parsePage } from './parse-page.ts';
import { type Icon, MAX_ICON_FILE_BYTES, readIcon } from './read-icon.ts';

/** The path of the file that visitors see at the address of a site. */
export const FRONT_PAGE = 'index.html';

/** How much of a front page is read, in bytes. */
const MAX_PAGE_BYTES = 256 * 1024;
/** How long a process may take for a front page before another process may read it. */
const LEASE_MS = 2 * 60_000;

/**
 * Reads the titles and icons of front pages that are due, until none is due. Each is read as bytes, with limits, one after the
 * other. Any number of processes may run this concurrently. If reading one fails, the failure is logged, and it is retried
 * some minutes later.
 *
 * @returns The number of front pages that were read.
 * @throws for errors of the database. Source: api §3.
 */
export async function readFrontPages(
  core: Core,
  { signal = new AbortController().signal }: { signal?: AbortSignal } = {},
): Promise<number> {
  let readCount = 0;
  while (!signal.aborted) {
    const deployment = await takeDueDeployment(core);
    if (deployment === null) break;
    const outcome = await attemptTask(core, { task: 'read front pages', deployment }, () =>
      readFrontPage(core, deployment),
    );
    if (outcome.ok) readCount += 1;
  }
  return readCount;
}

async function readFrontPage(core: Core, deployment: string): Promise<void> {
  const { title, icons } = await readHead(core, deployment);
  const icon = await findIcon(core, deployment, icons);
  await db(core)
    .updateTable('front_page')
    .set({ title, icon: icon?.bytes ?? null, icon_type: icon?.type ?? null, due: null })
    .where('deployment_id', '=', deployment)
    .execute();
}

async function readHead(core: Core, deployment: string): Promise<PageHead> {
  const place = (await findFiles(core, deployment, [FRONT_PAGE])).get(FRONT_PAGE);
  const bytes = place && (await readContentOrNull(core, { ...place, length: Math.min(place.length, MAX_PAGE_BYTES) }));
  return bytes ? parsePage(bytes) : { title: null, icons: [] };
}

/** Returns the first icon that is one; `null` for none. */
async function findIcon(core: Core, deployment: string, icons: readonly string[]): Promise<Icon | null> {
  const places = await findFiles(core, deployment, icons);
  for (const candidate of icons) {
    const place = places.get(candidate);
    const bytes = place ? await readIconFile(core, place) : bytesOfDataUrl(candidate);
    const icon = bytes && readIcon(bytes);
    if (icon) return icon;
  }
  return null;
}

async function readIconFile(core: Core, place: StoredBytes): Promise<Buffer | null> {
  return place.length > MAX_ICON_FILE_BYTES ? null : readContentOrNull(core, place);
}

/** Returns `null` for other texts, and for a URL that cannot be decoded. */
function bytesOfDataUrl(url: string): Buffer | null {
  const comma = url.indexOf(',');
  if (!/^data:/i.test(url) || comma < 0) return null;
  const data = url.slice(comma + 1);
  if (/;\s*base64$/i.test(url.slice(0, comma))) return Buffer.from(data, 'base64');
  try {
    return Buffer.from(decodeURIComponent(data));
  } catch {
    return Buffer.from(data);
  }
}

async function findFiles(core: Core, deployment: string, paths: readonly string[]): Promise<Map<string, StoredBytes>> {
  if (paths.length === 0) return new Map();
  const { rows } = await sql<StoredBytes & { path: string }>`
    select f.path, encode(c.hash, 'hex') as sha256, c.pack_id as pack, c."offset"::float8 as "offset", c.length::float8 as length
    from manifest m
    cross join unnest(m.paths) with ordinality as f (path, position)
    join content c on c.hash = ${hashAtPosition(sql.ref('m.hashes'), 'f.position')}
    where m.deployment_id = ${deployment} and f.path = any(${[...paths]}::text[])`.execute(db(core));
  return new Map(rows.map(({ path, ...place }) => [path, place]));
}

const FIND_DUE = 'select from front_page where due <= $1 limit 1';

/** Takes the front page that has waited longest, so that no other process takes it before the lease expires. */
async function takeDueDeployment(core: Core): Promise<string | null> {
  const now = core.now();
  // Most runs find nothing. A prepared statement costs them a tenth of a transaction.
  if ((await core.database.prepared(FIND_DUE, [now])).length === 0) return null;
  const { rows } = await sql<{ deployment: string }>`
    update front_page set due = ${new Date(now.getTime() + LEASE_MS)}
    where deployment_id = (
      select deployment_id from front_page where due <= ${now} order by due limit 1 for update skip locked)
    returning deployment_id as deployment`.execute(db(core));
  return rows[0]?.deployment ?? null;
}
