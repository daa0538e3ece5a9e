import { ArrayType } from '@mikro-orm/core';

/**
 * `text[]` of any texts. The ORM's own type leaves most texts unquoted, and PostgreSQL then reads `null` as no text at all.
 */
export class TextArray extends ArrayType<string> {
  override convertToDatabaseValue(value: string[] | null): string {
    return `{${(value ?? []).map((text) => `"${text.replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;
  }
}
