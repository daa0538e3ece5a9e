import {
  cacheControl,
  chooseCoding,
  type Coding,
  entityTag,
  type FileIntent,
  type HeaderField,
  mediaTypeOf,
  type RuledAnswer,
  type Site,
  type StoredBytes,
} from '@berth/core';
import { siteHeaders } from './site-headers.ts';

/** What a site was asked for, as far as its answers differ by it. */
export interface Asked {
  /** The path, as `RequestPath` has it. */
  path: string;
  /** Whether it was a domain, which may show other bytes at the same path later. */
  onDomain: boolean;
  /** Whether the host is a name below the platform domain. */
  onPlatformDomain: boolean;
}

/** A form of a file: its bytes as they are sent, and the heads of the answers that send them. */
export interface FileForm {
  content: StoredBytes;
  etag: string;
  /** The head of the whole file, names and values by turns; the value at {@link REQUEST_ID_AT} is each answer's own. */
  whole: string[];
  /** The same of an answer that says the visitor has these bytes already. Source: serving S45. */
  notModified: string[];
  /** The same of a part, without what says which part it is. Source: serving S46. */
  part: readonly string[];
}

/** What a file of a site is answered with, whoever asks for it: made once, and sent again and again. */
export interface FileAnswer {
  status: 200 | 404;
  /** The bytes as they were uploaded. */
  identity: FileForm;
  /** The form for a visitor who accepts these codings. Source: serving S49. */
  formFor(acceptEncoding: string | undefined): FileForm;
}

/** Where the id of the request goes in the head of an answer. */
export const REQUEST_ID_AT = 1;

const POLICIES: readonly HeaderField[] = [
  ['Referrer-Policy', 'strict-origin-when-cross-origin'],
  ['Origin-Agent-Cluster', '?1'],
];

/**
 * Makes the answer for a file. A 404 page has no entity tag and is never compressed: nobody keeps it.
 *
 * Source: serving S32, S40, S44 to S55, S63.
 */
export function createFileAnswer(site: Site, intent: FileIntent, asked: Asked): FileAnswer {
  const { status, path, file } = intent;
  const fields = fieldsOf(site, intent, asked);
  if (status === 404) {
    const identity: FileForm = { content: file, etag: '', whole: headOf(fields, file), notModified: [], part: [] };
    return { status, identity, formFor: () => identity };
  }
  const identity = formOf(file, null);
  const compressed = mediaTypeOf(path).compressible ? file.compressed : undefined;
  const forms = new Map<Coding, FileForm>();
  return {
    status,
    identity,
    formFor(acceptEncoding) {
      const coding = compressed ? chooseCoding(acceptEncoding, compressed) : null;
      if (coding === null) return identity;
      const known = forms.get(coding);
      if (known) return known;
      const form = formOf(compressed![coding]!, coding);
      forms.set(coding, form);
      return form;
    },
  };

  function formOf(content: StoredBytes, coding: Coding | null): FileForm {
    const etag = entityTag(file.sha256, coding);
    const kept: HeaderField[] = [...fields, ['Accept-Ranges', 'bytes'], ['ETag', etag]];
    return {
      content,
      etag,
      whole: headOf(coding === null ? kept : [...kept, ['Content-Encoding', coding]], content),
      notModified: headOf(kept.filter(([name]) => name !== 'Content-Type')),
      part: headOf(kept),
    };
  }
}

/** What the answer says besides what its bytes decide, the rules of the site applied. */
function fieldsOf(site: Site, { status, path, variesByAccept }: FileIntent, asked: Asked): readonly HeaderField[] {
  const { contentType, compressible } = mediaTypeOf(path);
  const isProtected = site.passwordVersion !== null;
  const { Vary: siteVary, ...always } = siteHeaders(site) as Record<string, string>;
  const vary = [
    siteVary,
    compressible && status === 200 ? 'Accept-Encoding' : undefined,
    variesByAccept ? 'Accept' : undefined,
  ].filter((name) => name !== undefined);
  const fields: HeaderField[] = [
    ['Content-Type', contentType],
    ['Cache-Control', status === 404 ? 'no-store' : cacheControl(path, asked)],
    ...POLICIES,
  ];
  const own = [...fields.filter(([name]) => !(name in always)), ...Object.entries(always)];
  if (vary.length > 0) own.push(['Vary', vary.join(', ')]);
  if (site.rules.headers.isEmpty) return own;
  const answer: RuledAnswer = {
    kind: status === 404 ? 'not-found' : 'file',
    onPlatformDomain: asked.onPlatformDomain,
    anonymous: site.anonymous,
    isProtected,
  };
  return site.rules.headers.apply(asked.path, own, answer);
}

/** A head as node:http takes it: names and values by turns. Without a content it describes no body. */
function headOf(fields: readonly HeaderField[], content?: StoredBytes): string[] {
  const head = ['X-Request-Id', '', ...fields.flat()];
  if (content) head.push('Content-Length', String(content.length));
  return head;
}
