import type { NextDropOptions } from '../../shared/publishing.ts';

/*
 * What is said while somebody types. The server has the last word, with the schemas of `@berth/contract`; they are not used here
 * because zod looks whether it may compile code, which the policy of the page reports as a violation.
 */

const LABEL = /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/;
const NAME_PART = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u;

export const MAX_LABELS = 10;

/** Why a text is no label; `null` when it is one. Source: contract §1. */
export function labelFault(text: string): string | null {
  if (text.length < 3) return 'A label has at least 3 characters.';
  if (text.length > 25) return 'A label has at most 25 characters.';
  return LABEL.test(text) ? null : 'A label is lower-case letters and digits, joined by single “.”, “_” or “-”.';
}

/** Why a text cannot be a domain, or the first part of one; `null` when it may. Source: contract §1. */
export function domainFault(text: string): string | null {
  const parts = text.trim().replace(/\.$/, '').split('.');
  return parts.every((part) => NAME_PART.test(part))
    ? null
    : 'A domain is letters, digits and “-”, in parts joined by dots: “docs”, or “www.example.com”.';
}

/** Why a text is no password of a site; `null` when it is one. Source: contract §1. */
export function passwordFault(text: string): string | null {
  const { length } = [...text.trim().normalize('NFC')];
  return length >= 6 && length <= 128 ? null : 'A password has 6 to 128 characters.';
}

/** Why nothing can be published with these options; `null` when they may be used. */
export function optionsFault({ domain, password }: Pick<NextDropOptions, 'domain' | 'password'>): string | null {
  return (
    (domain === undefined ? null : domainFault(domain)) ?? (password === undefined ? null : passwordFault(password))
  );
}
