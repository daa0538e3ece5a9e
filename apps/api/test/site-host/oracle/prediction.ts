import type { Coding } from '@berth/serving';
import type { ReceivedResponse } from './connection.ts';
import { FILES, type SampleFile, tagOf } from './files.ts';
import { codingOf, fileOf, type RequestedTags, type SampleRequest, type Tag, toNumber } from './request.ts';

const NO_BYTES = Buffer.alloc(0);
const BODY_HEADERS = new Set(['content-type', 'content-length', 'content-encoding', 'content-range']);
const CODING_ORDER: readonly Coding[] = ['br', 'zstd', 'gzip'];

/**
 * Predicts a response from the bytes, their forms and the meaning of the request, without code of the server.
 * Source: serving S40, S41, S44 to S50, S52 to S57.
 */
export function predict(request: SampleRequest, ownPages: ReadonlyMap<string, ReceivedResponse>): ReceivedResponse {
  const { method, visitor } = request;
  const commonHeaders = {
    'x-content-type-options': 'nosniff',
    ...(visitor === 'anonymous' ? { 'x-robots-tag': 'noindex' } : {}),
  };
  const policies = { 'referrer-policy': 'strict-origin-when-cross-origin', 'origin-agent-cluster': '?1' };
  const bodyToSend = (body: Buffer) => (method === 'HEAD' ? NO_BYTES : body);
  const errorWith = (status: number, additional: Record<string, string> = {}): ReceivedResponse => ({
    status,
    headers: { ...commonHeaders, 'cache-control': 'no-store', 'content-length': '0', ...additional },
    body: NO_BYTES,
  });

  const file = fileOf(request);
  if (!file && visitor === 'anonymous') {
    const ownPage = ownPages.get(request.target)!;
    return { ...ownPage, body: bodyToSend(ownPage.body) };
  }
  if (!file) {
    const { bytes, contentType } = FILES['404.html']!;
    const bodyHeaders = { 'content-type': contentType, 'content-length': String(bytes.length) };
    return {
      status: 404,
      headers: { ...commonHeaders, ...policies, ...bodyHeaders, 'cache-control': 'no-store' },
      body: bodyToSend(bytes),
    };
  }

  const byteRange = partOf(request, file);
  const coding = byteRange === 'whole' ? choosePreferred(request.codings, file) : null;
  const body = coding === null ? file.bytes : file.forms[coding]!;
  const isImmutable = file.hashed && visitor !== 'domain';
  const headers: Record<string, string> = {
    ...commonHeaders,
    ...policies,
    'content-type': file.contentType,
    'content-length': String(body.length),
    'accept-ranges': 'bytes',
    etag: tagOf(file, coding),
    'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : 'public, max-age=0, must-revalidate',
    ...(file.compressible ? { vary: 'Accept-Encoding' } : {}),
    ...(coding === null ? {} : { 'content-encoding': coding }),
  };

  const matchesForm = ({ of }: Tag) => of === (coding ?? 'identity');
  if (request.ifMatch && !matchesAny(request.ifMatch, (tag) => matchesForm(tag) && !tag.weak)) return errorWith(412);
  if (request.ifNoneMatch && matchesAny(request.ifNoneMatch, matchesForm)) {
    const remainingHeaders = Object.entries(headers).filter(([name]) => !BODY_HEADERS.has(name));
    return { status: 304, headers: Object.fromEntries(remainingHeaders), body: NO_BYTES };
  }
  if (byteRange === 'whole') return { status: 200, headers, body: bodyToSend(body) };
  if (byteRange === 'nothing') return errorWith(416, { 'content-range': `bytes */${body.length}` });
  const [first, last] = byteRange;
  const range = {
    'content-range': `bytes ${first}-${last}/${body.length}`,
    'content-length': String(last - first + 1),
  };
  return { status: 206, headers: { ...headers, ...range }, body: body.subarray(first, last + 1) };
}

/** Returns the positions of the first and the last requested byte. */
function partOf(
  { method, range, ifRange }: SampleRequest,
  { bytes: { length: size } }: SampleFile,
): 'whole' | 'nothing' | [number, number] {
  const isRangeIgnored = method === 'HEAD' || range === null || typeof range === 'string';
  if (isRangeIgnored || (ifRange !== null && !isStrongIdentity(ifRange))) return 'whole';
  const [first, last] = [toNumber(range.first, size), toNumber(range.last, size)];
  if (range.kind === 'between' && last < first) return 'whole';
  const start = range.kind === 'last' ? Math.max(0, size - first) : first;
  if (start >= size) return 'nothing';
  return [start, range.kind === 'between' ? Math.min(last, size - 1) : size - 1];
}

function isStrongIdentity(ifRange: Tag | string): boolean {
  return typeof ifRange !== 'string' && ifRange.of === 'identity' && !ifRange.weak;
}

function matchesAny(asked: RequestedTags, matches: (tag: Tag) => boolean): boolean {
  return asked === '*' || asked.tags.some(matches);
}

function choosePreferred(preferences: SampleRequest['codings'], { compressible, forms }: SampleFile): Coding | null {
  if (!preferences || !compressible) return null;
  const weights = new Map(preferences.map(({ name, weight }) => [codingOf(name), weight ?? 1]));
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const bestCoding = CODING_ORDER.filter((coding) => forms[coding] !== undefined && weightOf(coding) > 0).toSorted(
    (a, b) => weightOf(b) - weightOf(a),
  )[0];
  return bestCoding !== undefined && weightOf(bestCoding) >= weightOf('identity') ? bestCoding : null;
}
