/** The exports of serving for the other packages. */
export { cacheControl, entityTag } from './caching.ts';
export { chooseCoding } from './codings.ts';
export { type Conditions, judgeConditions } from './conditions.ts';
export { type FileIntent, type Intent, SITE_METHODS, type Varying } from './intent.ts';
export { isWorthCompressing, type MediaType, mediaTypeOf } from './media-types.ts';
export { type ByteRange, judgeRange, type RangeRequest, type WholeContent } from './ranges.ts';
export { isSystemPath, parseRequestPath, type RequestPath } from './request-path.ts';
export { resolve, type VisitRequest } from './resolve.ts';
export { findBasicAuth, scanForBasicAuth } from './rules/basic-auth.ts';
export { compileRules, type RuleFiles } from './rules/compile.ts';
export { Fault, type Position, type Warn } from './rules/fault.ts';
export type { HeaderField } from './rules/header-rules.ts';
export { MAX_HEADERS_BYTES } from './rules/headers-file.ts';
export { MAX_SHIP_JSON_BYTES, parseShipJson, type ShipJson } from './rules/parse-ship-json.ts';
export { NO_RULES, prepareRules } from './rules/prepare.ts';
export { MAX_REDIRECTS_BYTES } from './rules/redirects-file.ts';
export type { RuleData, RuledAnswer, SiteRules } from './rules/rules.ts';
export type { Coding, CompressedForms, Manifest, ProtectedSite, Site, SiteFile, StoredBytes } from './site.ts';
