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
  type SiteFile,
  type StoredBytes,
} from '@berth/serving';
import { ResponseHead } from '../http/response-head.ts';
import { siteHeaders } from './site-headers.ts';

export interface Visit {
  /** The host of the request, normalised. */
  host: string;
  /** The site that the host names; `null` for a host that is not served here. */
  address: SiteAddress | null;
  /** The path as the client sent it, up to `?`. */
  path: string;
  /** The query as the client sent it, from `?` on; empty if it is absent. */
  query: string;
}

/** The decision to respond with a file, and the file. */
interface FoundFile {
  intent: FileIntent;
  file: SiteFile;
}

/** The parts of a request on which the response for a file depends. */
interface AnswerContext {
  /** The host of the request, normalised. */
  host: string;
  /** The path of the file in the site, from `RequestPath`. */
  path: string;
  /** Whether the host is a domain, which may later show other bytes at the same path. */
  onDomain: boolean;
  /** Whether the host is a name below the platform domain. */
  onPlatformDomain: boolean;
}

/** A form of a file, and the head of the response with the whole file. */
export interface FileForm {
  content: StoredBytes;
  /** The entity tag; empty for a 404 page. */
  etag: string;
  head: ResponseHead;
  /** The head of a 304 response; `null` until it is first needed. */
  notModified: ResponseHead | null;
}

/** The response for a file of a site, prepared once and sent to many visitors. */
export interface FileAnswer {
  /** The bytes as they were uploaded. The status of the head is 200 or 404. */
  identity: FileForm;
  compressed: CompressedForms | undefined;
  /** The compressed forms that visitors have accepted so far. */
  forms: Partial<Record<Coding, FileForm>> | null;
}

/** Limits the cached paths of a site for each kind of host. A full cache is emptied: a path has many spellings. */
const MAX_CACHED_PATHS = 256;

/** The kinds of hosts between which the responses of a site differ. */
type HostKind = 'deployment' | 'platform' | 'custom';

/**
 * Prepares the responses for files of sites, and caches those that depend only on the host and the path. The cache of a
 * site is dropped with the site; a site that is loaded again is a new object.
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

  /** Returns the cached response for the path of a visit, if it can be sent again. */
  find(site: Site, visit: Visit): FileAnswer | undefined {
    return dependsOnQuery(site, visit)
      ? undefined
      : this.#cached[this.#kindOf(visit)].get(site)?.get(keyOf(site, visit));
  }

  /** Prepares the response for a file. @param requested The path of the file in the site, from `RequestPath`. */
  make(site: Site, { intent, file }: FoundFile, visit: Visit, requested: string): FileAnswer {
    const kind = this.#kindOf(visit);
    const onDomain = kind !== 'deployment';
    const context = { host: visit.host, path: requested, onDomain, onPlatformDomain: kind !== 'custom' };
    const answer = createFileAnswer(site, { intent, file }, context);
    if (intent.status === 200 && !intent.variesByAccept && !dependsOnQuery(site, visit)) {
      const paths = this.#cached[kind].get(site) ?? new Map<string, FileAnswer>();
      if (paths.size >= MAX_CACHED_PATHS) paths.clear();
      this.#cached[kind].set(site, paths.set(keyOf(site, visit), answer));
    }
    return answer;
  }

  /** Applies the header rules of the site to a response without a file. Source: serving S31, S32, S43. */
  applyRules(
    site: Site,
    kind: 'redirect' | 'options',
    fields: readonly HeaderField[],
    visit: Visit,
    requested: string,
  ): Record<string, string> {
    const onPlatformDomain = this.#kindOf(visit) !== 'custom';
    const answer = ruledAnswer(site, kind, { host: visit.host, onPlatformDomain });
    return Object.fromEntries(site.rules.headers.apply(requested, fields, answer));
  }

  #kindOf({ address, host }: Visit): HostKind {
    if (address !== null && 'deployment' in address) return 'deployment';
    return host.endsWith(this.#belowPlatform) ? 'platform' : 'custom';
  }
}

/** Whether the response can depend on the query. A rule that redirects to the same address does not count. */
function dependsOnQuery(site: Site, { query }: Visit): boolean {
  return query !== '' && site.rules !== NO_RULES;
}

/** Returns the key of a response in the cache of a kind of hosts. */
function keyOf(site: Site, { host, path }: Visit): string {
  return site.rules.dependOnHost ? host + path : path;
}

function ruledAnswer(
  site: Site,
  kind: RuledAnswer['kind'],
  { host, onPlatformDomain }: Pick<RuledAnswer, 'host' | 'onPlatformDomain'>,
): RuledAnswer {
  return { kind, host, onPlatformDomain, anonymous: site.anonymous, isProtected: site.passwordVersion !== null };
}

const POLICIES: readonly HeaderField[] = [
  ['Referrer-Policy', 'strict-origin-when-cross-origin'],
  ['Origin-Agent-Cluster', '?1'],
];

/** A 404 page has no entity tag and no compressed form, as it is not cached. Source: serving S32, S40, S44 to S55, S63. */
function createFileAnswer(site: Site, { intent, file }: FoundFile, context: AnswerContext): FileAnswer {
  const { status, path } = intent;
  const fields = fieldsOf(site, intent, context);
  const isFound = status === 200;
  const etag = isFound ? entityTag(file.sha256) : '';
  const answerFields: HeaderField[] = isFound ? [...fields, ['Accept-Ranges', 'bytes'], ['ETag', etag]] : [...fields];
  const head = new ResponseHead(status, [...answerFields.flat(), 'Content-Length', String(file.length)]);
  return {
    identity: { content: file, etag, head, notModified: null },
    compressed: isFound && mediaTypeOf(path).compressible ? file.compressed : undefined,
    forms: null,
  };
}

/** Chooses the form for a visitor with this `Accept-Encoding`. Source: serving S49. */
export function formFor(answer: FileAnswer, acceptEncoding: string | undefined): FileForm {
  const { identity, compressed } = answer;
  const coding = compressed ? chooseCoding(acceptEncoding, compressed) : null;
  if (coding === null) return identity;
  answer.forms ??= {};
  return (answer.forms[coding] ??= compressedForm(identity, compressed![coding]!, coding));
}

function compressedForm({ content, head }: FileForm, compressed: StoredBytes, coding: Coding): FileForm {
  const etag = entityTag(content.sha256, coding);
  const changedHeaders = new Map([
    ['etag', etag],
    ['content-length', String(compressed.length)],
  ]);
  const changedHead = head.with(200, (name, value) => changedHeaders.get(name) ?? value, ['Content-Encoding', coding]);
  return { content: compressed, etag, head: changedHead, notModified: null };
}

/** Returns the head for a 304, without the headers that describe the body. Source: serving S45; RFC 9110 §15.4.5. */
export function notModifiedHead(form: FileForm): ResponseHead {
  form.notModified ??= form.head.with(304, (name, value) => (describesBody(name) ? null : value));
  return form.notModified;
}

const DIGEST_HEADERS: ReadonlySet<string> = new Set(['digest', 'repr-digest']);
const RESOURCE_HEADER = /^content-(?:location|security-policy)/;

function describesBody(name: string): boolean {
  return (name.startsWith('content-') && !RESOURCE_HEADER.test(name)) || DIGEST_HEADERS.has(name);
}

/** Returns the head for a 206. Source: serving S46; RFC 9110 §15.3.7. */
export function partHead({ head, content }: FileForm, { first, last }: ByteRange): ResponseHead {
  const length = String(last - first + 1);
  return head.with(206, (name, value) => (name === 'content-length' ? length : value), [
    'Content-Range',
    `bytes ${first}-${last}/${content.length}`,
  ]);
}

/** Returns the headers that do not depend on the bytes, after the rules of the site were applied. */
function fieldsOf(
  site: Site,
  { status, path, variesByAccept }: FileIntent,
  context: AnswerContext,
): readonly HeaderField[] {
  const { contentType, compressible } = mediaTypeOf(path);
  const { Vary: siteVary, ...always } = siteHeaders(site) as Record<string, string>;
  const varyValues = [
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
  if (varyValues.length > 0) ownFields.push(['Vary', varyValues.join(', ')]);
  if (site.rules.headers.isEmpty) return ownFields;
  const answer = ruledAnswer(site, status === 404 ? 'not-found' : 'file', context);
  return site.rules.headers.apply(context.path, ownFields, answer);
}
