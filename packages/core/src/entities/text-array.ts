import { ArrayType } from '@mikro-orm/core';

/**
 * `text[]` with every element quoted. The ORM's own type leaves most elements unquoted, and PostgreSQL then reads the text `null` as NULL.
 */
export class TextArray extends ArrayType {
  override convertToDatabaseValue(value: string[] | null): string {
    return `{${(value ?? []).map((text) => `"${text.replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;
  }
}
