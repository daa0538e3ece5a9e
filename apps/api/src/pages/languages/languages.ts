import { ENGLISH } from './english.ts';
import { GERMAN } from './german.ts';
import type { VisitorTexts } from './texts.ts';

/** The languages of the pages for visitors, by the tag of RFC 5646. To add one, write its file and add it here. */
export const LANGUAGES = { en: ENGLISH, de: GERMAN } as const satisfies Record<string, VisitorTexts>;

/** The tag of a language. */
export type Language = keyof typeof LANGUAGES;

/** The language for visitors who accept none of the others. */
export const DEFAULT_LANGUAGE: Language = 'en';

const MAX_RANGES = 20;
const MAX_CACHED_HEADERS = 1_000;
const RANGE = /^\s*([A-Za-z*]{1,8})(?:-[A-Za-z0-9-]{0,60})?\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/;

const cachedLanguages = new Map<string, Language>();

/**
 * Chooses the language that a visitor prefers among those that exist, by the `Accept-Language` header; English without one.
 * Regions do not matter: `de-AT` is German. Source: serving S5; RFC 9110 §12.5.4.
 */
export function chooseLanguage(header: string | undefined): Language {
  if (header === undefined) return DEFAULT_LANGUAGE;
  const cachedLanguage = cachedLanguages.get(header);
  if (cachedLanguage) return cachedLanguage;
  const language = preferredLanguage(header);
  if (cachedLanguages.size >= MAX_CACHED_HEADERS) cachedLanguages.clear();
  cachedLanguages.set(header, language);
  return language;
}

function preferredLanguage(header: string): Language {
  let best: Language = DEFAULT_LANGUAGE;
  let bestQuality = 0;
  for (const text of header.split(',', MAX_RANGES)) {
    const [, name = '', quality = '1'] = RANGE.exec(text) ?? [];
    const language = name === '*' ? DEFAULT_LANGUAGE : name.toLowerCase();
    if (!Object.hasOwn(LANGUAGES, language) || Number(quality) <= bestQuality) continue;
    best = language as Language;
    bestQuality = Number(quality);
  }
  return best;
}
