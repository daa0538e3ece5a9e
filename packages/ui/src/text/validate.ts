import type { NextDropOptions } from '../publishing.ts';

/*
 * These functions check input while the user types; the server decides. Pages do not use the schemas of `@berth/contract`, because
 * zod would add a third to their scripts.
 */

const LABEL = /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/;
const NAME_PART = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u;

export const MAX_LABELS = 10;

/** Returns why a text is not a valid label, or `null` if the text is valid. Source: api §1. */
export function labelError(text: string): string | null {
  if (text.length < 3) return 'A label must have at least 3 characters.';
  if (text.length > 25) return 'A label must have at most 25 characters.';
  return LABEL.test(text) ? null : 'A label must be lower-case letters and digits, joined by single “.”, “_” or “-”.';
}

/** Returns why a text is not a valid domain or first part of a domain, or `null` if the text is valid. */
export function domainError(text: string): string | null {
  const parts = text.trim().replace(/\.$/, '').split('.');
  return parts.every((part) => NAME_PART.test(part))
    ? null
    : 'A domain must consist of letters, digits and “-”, in parts separated by dots: “docs” or “www.example.com”.';
}

/** Returns why a text is not a valid password for a site, or `null` if the text is valid. */
export function passwordError(text: string): string | null {
  const { length } = [...text.trim().normalize('NFC')];
  return length >= 6 && length <= 128 ? null : 'A password must have 6 to 128 characters.';
}

export function optionsError({ domain, password }: Pick<NextDropOptions, 'domain' | 'password'>): string | null {
  return (
    (domain === undefined ? null : domainError(domain)) ?? (password === undefined ? null : passwordError(password))
  );
}
