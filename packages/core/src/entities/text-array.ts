import { ArrayType } from '@mikro-orm/core';

/** `text[]` with every element in quotes. PostgreSQL reads an unquoted `null`, which the type of the ORM writes, as NULL. */
export class TextArray extends ArrayType {
  override convertToDatabaseValue(value: string[] | null): string {
    return `{${(value ?? []).map((text) => `"${text.replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;
  }
}
