import type { Coding } from '@berth/serving';
import type { Received } from './connection.ts';
import { FILES, type SampleFile, tagOf } from './files.ts';
import { at, codingOf, fileOf, type SampleRequest, type Tag, type TagsAsked } from './request.ts';

const NOTHING = Buffer.alloc(0);
const DESCRIBE_THE_BODY = new Set(['content-type', 'content-length', 'content-encoding', 'content-range']);
const PREFERRED: readonly Coding[] = ['br', 'zstd', 'gzip'];

/**
 * Predicts an answer from the published bytes, their compressed forms, and the meaning of the request. It reads no
 * header and shares no code with the server.
 *
 * @param ownPages The pages of the service for missing paths, by target. They do not depend on the request.
 * Source: serving S40, S41, S44 to S50, S52 to S57.
 */
export function predict(request: SampleRequest, ownPages: ReadonlyMap<string, Received>): Received {
  const { method, visitor } = request;
  const always = {
    'x-content-type-options': 'nosniff',
    ...(visitor === 'anonymous' ? { 'x-robots-tag': 'noindex' } : {}),
  };
  const policies = { 'referrer-policy': 'strict-origin-when-cross-origin', 'origin-agent-cluster': '?1' };
  const sent = (body: Buffer) => (method === 'HEAD' ? NOTHING : body);
  const refused = (status: number, more: Record<string, string> = {}): Received => ({
    status,
    headers: { ...always, 'cache-control': 'no-store', 'content-length': '0', ...more },
    body: NOTHING,
  });

  const file = fileOf(request);
  if (!file && visitor === 'anonymous') {
    const ownPage = ownPages.get(request.target)!;
    return { ...ownPage, body: sent(ownPage.body) };
  }
  if (!file) {
    const { bytes, contentType } = FILES['404.html']!;
    const described = { 'content-type': contentType, 'content-length': String(bytes.length) };
    return {
      status: 404,
      headers: { ...always, ...policies, ...described, 'cache-control': 'no-store' },
      body: sent(bytes),
    };
  }

  const part = partOf(request, file);
  const coding = part === 'whole' ? chosen(request.codings, file) : null;
  const body = coding === null ? file.bytes : file.forms[coding]!;
  const forever = file.hashed && visitor !== 'domain';
  const headers: Record<string, string> = {
    ...always,
    ...policies,
    'content-type': file.contentType,
    'content-length': String(body.length),
    'accept-ranges': 'bytes',
    etag: tagOf(file, coding),
    'cache-control': forever ? 'public, max-age=31536000, immutable' : 'public, max-age=0, must-revalidate',
    ...(file.compressible ? { vary: 'Accept-Encoding' } : {}),
    ...(coding === null ? {} : { 'content-encoding': coding }),
  };

  const isThis = ({ of }: Tag) => of === (coding ?? 'identity');
  if (request.ifMatch && !holds(request.ifMatch, (tag) => isThis(tag) && !tag.weak)) return refused(412);
  if (request.ifNoneMatch && holds(request.ifNoneMatch, isThis)) {
    const remaining = Object.entries(headers).filter(([name]) => !DESCRIBE_THE_BODY.has(name));
    return { status: 304, headers: Object.fromEntries(remaining), body: NOTHING };
  }
  if (part === 'whole') return { status: 200, headers, body: sent(body) };
  if (part === 'nothing') return refused(416, { 'content-range': `bytes */${body.length}` });
  const [first, last] = part;
  const range = {
    'content-range': `bytes ${first}-${last}/${body.length}`,
    'content-length': String(last - first + 1),
  };
  return { status: 206, headers: { ...headers, ...range }, body: body.subarray(first, last + 1) };
}

/** The first and the last requested byte. */
function partOf(
  { method, range, ifRange }: SampleRequest,
  { bytes: { length: size } }: SampleFile,
): 'whole' | 'nothing' | [number, number] {
  const ignored = method === 'HEAD' || range === null || typeof range === 'string';
  if (ignored || (ifRange !== null && !isStrongIdentity(ifRange))) return 'whole';
  const [first, last] = [at(range.first, size), at(range.last, size)];
  if (range.kind === 'between' && last < first) return 'whole';
  const start = range.kind === 'last' ? Math.max(0, size - first) : first;
  if (start >= size) return 'nothing';
  return [start, range.kind === 'between' ? Math.min(last, size - 1) : size - 1];
}

function isStrongIdentity(ifRange: Tag | string): boolean {
  return typeof ifRange !== 'string' && ifRange.of === 'identity' && !ifRange.weak;
}

function holds(asked: TagsAsked, matches: (tag: Tag) => boolean): boolean {
  return asked === '*' || asked.tags.some(matches);
}

function chosen(preferences: SampleRequest['codings'], { compressible, forms }: SampleFile): Coding | null {
  if (!preferences || !compressible) return null;
  const weights = new Map(preferences.map(({ name, weight }) => [codingOf(name), weight ?? 1]));
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const best = PREFERRED.filter((coding) => forms[coding] !== undefined && weightOf(coding) > 0).toSorted(
    (a, b) => weightOf(b) - weightOf(a),
  )[0];
  return best !== undefined && weightOf(best) >= weightOf('identity') ? best : null;
}
