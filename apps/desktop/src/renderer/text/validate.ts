import type { NextDropOptions } from '../../shared/publishing.ts';

/*
 * Checks input while the user types. The server decides, with the schemas of `@berth/contract`. They are not used here because zod
 * probes whether it may compile code, which the page's content security policy reports as a violation.
 */

const LABEL = /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/;
const NAME_PART = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u;

export const MAX_LABELS = 10;

/** Why a text is not a valid label; `null` if it is. Source: api §1. */
export function labelError(text: string): string | null {
  if (text.length < 3) return 'A label must have at least 3 characters.';
  if (text.length > 25) return 'A label must have at most 25 characters.';
  return LABEL.test(text) ? null : 'A label must be lower-case letters and digits, joined by single “.”, “_” or “-”.';
}

/** Why a text cannot be a domain or the first part of one; `null` if it can. */
export function domainError(text: string): string | null {
  const parts = text.trim().replace(/\.$/, '').split('.');
  return parts.every((part) => NAME_PART.test(part))
    ? null
    : 'A domain must be letters, digits and “-”, in parts separated by dots: “docs” or “www.example.com”.';
}

/** Why a text is not a valid site password; `null` if it is. */
export function passwordError(text: string): string | null {
  const { length } = [...text.trim().normalize('NFC')];
  return length >= 6 && length <= 128 ? null : 'A password must have 6 to 128 characters.';
}

/** Why these options are invalid; `null` if they are valid. */
export function optionsError({ domain, password }: Pick<NextDropOptions, 'domain' | 'password'>): string | null {
  return (
    (domain === undefined ? null : domainError(domain)) ?? (password === undefined ? null : passwordError(password))
  );
}
