import type { SiteAddress } from '@berth/core/sites';
import {
  type ByteRange,
  cacheControl,
  chooseCoding,
  type Coding,
  type CompressedForms,
  entityTag,
  type FileIntent,
  type HeaderField,
  mediaTypeOf,
  NO_RULES,
  type RuledAnswer,
  type Site,
  type StoredBytes,
} from '@berth/serving';
import { siteHeaders } from './site-headers.ts';

/** A request for a path of a site. */
export interface Visit {
  /** The host of the request, normalised. */
  host: string;
  /** The site that the host names; `null` for a host that is not served here. */
  address: SiteAddress | null;
  /** The path as sent, up to `?`. */
  path: string;
  /** The query as sent, from `?` on; empty if it is absent. */
  query: string;
}

/** The parts of a request on which the answers of a site depend. */
interface AnswerContext {
  /** The path, as `RequestPath` has it. */
  path: string;
  /** Whether the host is a domain, which may later show other bytes at the same path. */
  onDomain: boolean;
  /** Whether the host is a name below the platform domain. */
  onPlatformDomain: boolean;
}

/** A form of a file: its bytes as they are sent, and the head of the answer that sends all of them. */
export interface FileForm {
  content: StoredBytes;
  /** Empty for a 404 page, which has none. */
  etag: string;
  /** Alternating names and values; the first value is replaced by the request id of each answer. */
  head: string[];
  /** The head of a 304 answer; `null` until it is first needed. */
  notModified: string[] | null;
}

/** The answer for a file of a site, for every visitor: made once and sent many times. */
export interface FileAnswer {
  status: 200 | 404;
  /** The bytes as they were uploaded. */
  identity: FileForm;
  /** Its compressed forms. */
  compressed: CompressedForms | undefined;
  /** The compressed forms that were requested so far. */
  forms: Partial<Record<Coding, FileForm>> | null;
}

/**
 * How many paths of a site are cached for each kind of host. A full cache is emptied, because a path has any number of
 * spellings.
 */
const MAX_CACHED_PATHS = 256;

/** The kinds of hosts, between which answers differ. */
type HostKind = 'deployment' | 'platform' | 'custom';

/**
 * The answers of sites for their files, created on first use.
 *
 * Answers are cached with their site and dropped with it: a site that is loaded again is a new object. There is one
 * cache for each kind of host. Answers that depend on more than host and path are not cached.
 */
export class FileAnswers {
  readonly #cached: Record<HostKind, WeakMap<Site, Map<string, FileAnswer>>> = {
    deployment: new WeakMap(),
    platform: new WeakMap(),
    custom: new WeakMap(),
  };
  readonly #belowPlatform: string;

  /** @param platformHost The host name below which deployments and platform domains are. */
  constructor(platformHost: string) {
    this.#belowPlatform = `.${platformHost}`;
  }

  /** The cached answer of exactly this site for this path, if it may be sent again. */
  find(site: Site, visit: Visit): FileAnswer | undefined {
    return dependsOnQuery(site, visit) ? undefined : this.#cached[this.#kindOf(visit)].get(site)?.get(visit.path);
  }

  /** Creates the answer for a file. @param requested The path, as `RequestPath` has it. */
  make(site: Site, intent: FileIntent, visit: Visit, requested: string): FileAnswer {
    const kind = this.#kindOf(visit);
    const context = { path: requested, onDomain: kind !== 'deployment', onPlatformDomain: kind !== 'custom' };
    const answer = createFileAnswer(site, intent, context);
    if (intent.status === 200 && !intent.variesByAccept && !dependsOnQuery(site, visit)) {
      const paths = this.#cached[kind].get(site) ?? new Map<string, FileAnswer>();
      if (paths.size >= MAX_CACHED_PATHS) paths.clear();
      this.#cached[kind].set(site, paths.set(visit.path, answer));
    }
    return answer;
  }

  /**
   * The headers of an answer without a file, with the header rules of the site applied. Source: serving S31, S32, S43.
   */
  applyRules(
    site: Site,
    kind: 'redirect' | 'options',
    fields: readonly HeaderField[],
    visit: Visit,
    requested: string,
  ): Record<string, string> {
    const answer = ruledAnswer(site, kind, this.#kindOf(visit) !== 'custom');
    return Object.fromEntries(site.rules.headers.apply(requested, fields, answer));
  }

  #kindOf({ address, host }: Visit): HostKind {
    if (address !== null && 'deployment' in address) return 'deployment';
    return host.endsWith(this.#belowPlatform) ? 'platform' : 'custom';
  }
}

/** Whether an answer can depend on the query. A rule that redirects to the same address does not count. */
function dependsOnQuery(site: Site, { query }: Visit): boolean {
  return query !== '' && site.rules !== NO_RULES;
}

function ruledAnswer(site: Site, kind: RuledAnswer['kind'], onPlatformDomain: boolean): RuledAnswer {
  return { kind, onPlatformDomain, anonymous: site.anonymous, isProtected: site.passwordVersion !== null };
}

const POLICIES: readonly HeaderField[] = [
  ['Referrer-Policy', 'strict-origin-when-cross-origin'],
  ['Origin-Agent-Cluster', '?1'],
];

/**
 * Creates the answer for a file. A 404 page has no entity tag and is never compressed, since it is not cached.
 *
 * Source: serving S32, S40, S44 to S55, S63.
 */
function createFileAnswer(site: Site, intent: FileIntent, context: AnswerContext): FileAnswer {
  const { status, path, file } = intent;
  const fields = fieldsOf(site, intent, context);
  const isFound = status === 200;
  const etag = isFound ? entityTag(file.sha256) : '';
  const answerFields: HeaderField[] = isFound ? [...fields, ['Accept-Ranges', 'bytes'], ['ETag', etag]] : [...fields];
  const head = ['X-Request-Id', '', ...answerFields.flat(), 'Content-Length', String(file.length)];
  return {
    status,
    identity: { content: file, etag, head, notModified: null },
    compressed: isFound && mediaTypeOf(path).compressible ? file.compressed : undefined,
    forms: null,
  };
}

/** The form for a visitor with this `Accept-Encoding`. Source: serving S49. */
export function formFor(answer: FileAnswer, acceptEncoding: string | undefined): FileForm {
  const { identity, compressed } = answer;
  const coding = compressed ? chooseCoding(acceptEncoding, compressed) : null;
  if (coding === null) return identity;
  answer.forms ??= {};
  return (answer.forms[coding] ??= compressedForm(identity, compressed![coding]!, coding));
}

function compressedForm({ content, head }: FileForm, compressed: StoredBytes, coding: Coding): FileForm {
  const etag = entityTag(content.sha256, coding);
  const changed = new Map([
    ['etag', etag],
    ['content-length', String(compressed.length)],
  ]);
  const changedHead = headWith(head, (name, value) => changed.get(name) ?? value);
  return { content: compressed, etag, head: [...changedHead, 'Content-Encoding', coding], notModified: null };
}

/**
 * The head of a 304: that of the whole file without the headers that describe its body. Source: serving S45; RFC 9110
 * §15.4.5.
 */
export function notModifiedHead(form: FileForm): string[] {
  form.notModified ??= headWith(form.head, (name, value) => (describesBody(name) ? null : value));
  return form.notModified;
}

const DIGESTS: ReadonlySet<string> = new Set(['digest', 'repr-digest']);
const ABOUT_THE_RESOURCE = /^content-(?:location|security-policy)/;

function describesBody(name: string): boolean {
  return (name.startsWith('content-') && !ABOUT_THE_RESOURCE.test(name)) || DIGESTS.has(name);
}

/** The head of a 206. Source: serving S46; RFC 9110 §15.3.7. */
export function partHead({ head, content }: FileForm, { first, last }: ByteRange): string[] {
  const length = String(last - first + 1);
  const part = headWith(head, (name, value) => (name === 'content-length' ? length : value));
  return [...part, 'Content-Range', `bytes ${first}-${last}/${content.length}`];
}

/**
 * A copy of a head with other values. A header whose new value is `null` is removed. @param change Gets names in lower
 * case.
 */
function headWith(head: readonly string[], change: (name: string, value: string) => string | null): string[] {
  const changed: string[] = [];
  for (let i = 0; i < head.length; i += 2) {
    const name = head[i]!;
    const value = change(name.toLowerCase(), head[i + 1]!);
    if (value !== null) changed.push(name, value);
  }
  return changed;
}

/** The headers that do not follow from the bytes, with the rules of the site applied. */
function fieldsOf(
  site: Site,
  { status, path, variesByAccept }: FileIntent,
  context: AnswerContext,
): readonly HeaderField[] {
  const { contentType, compressible } = mediaTypeOf(path);
  const { Vary: siteVary, ...always } = siteHeaders(site) as Record<string, string>;
  const vary = [
    siteVary,
    compressible && status === 200 ? 'Accept-Encoding' : undefined,
    variesByAccept ? 'Accept' : undefined,
  ].filter((name) => name !== undefined);
  const fields: HeaderField[] = [
    ['Content-Type', contentType],
    ['Cache-Control', status === 404 ? 'no-store' : cacheControl(path, context)],
    ...POLICIES,
  ];
  const ownFields = [...fields.filter(([name]) => !(name in always)), ...Object.entries(always)];
  if (vary.length > 0) ownFields.push(['Vary', vary.join(', ')]);
  if (site.rules.headers.isEmpty) return ownFields;
  const answer = ruledAnswer(site, status === 404 ? 'not-found' : 'file', context.onPlatformDomain);
  return site.rules.headers.apply(context.path, ownFields, answer);
}
