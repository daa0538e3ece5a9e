export { cacheControl, entityTag } from './caching.ts';
export { chooseCoding } from './codings.ts';
export { judgeConditions } from './conditions.ts';
export { type FileIntent, SITE_METHODS } from './intent.ts';
export { isWorthCompressing, mediaTypeOf } from './media-types.ts';
export { type ByteRange, judgeRange } from './ranges.ts';
export { isSystemPath, parseRequestPath, type RequestPath } from './request-path.ts';
export { resolve } from './resolve.ts';
export { findBasicAuth, scanForBasicAuth } from './rules/basic-auth.ts';
export { compileRules, type RuleFiles } from './rules/compile.ts';
export { Fault } from './rules/fault.ts';
export { MAX_HEADERS_BYTES } from './rules/headers-file.ts';
export { MAX_SHIP_JSON_BYTES, parseShipJson } from './rules/ship-json.ts';
export { NO_RULES, prepareRules } from './rules/prepare.ts';
export { findRoleCondition, MAX_REDIRECTS_BYTES } from './rules/redirects-file.ts';
export type { HeaderField, RuleData, RuledAnswer } from './rules/rules.ts';
export type {
  Coding,
  CompressedForms,
  FilePaths,
  Manifest,
  ProtectedSite,
  Site,
  SiteFile,
  StoredBytes,
} from './site.ts';
