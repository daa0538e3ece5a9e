import { ArrayType } from '@mikro-orm/core';

const SPECIAL = /[\\"]/;

/** `text[]` with every element in quotes. PostgreSQL reads an unquoted `null`, which the type of the ORM writes, as NULL. */
export class TextArray extends ArrayType {
  override convertToDatabaseValue(value: string[] | null): string {
    const texts = value ?? [];
    if (texts.length === 0) return '{}';
    // Most lists are paths, which have none of these characters.
    const escapedTexts = texts.some((text) => SPECIAL.test(text)) ? texts.map(escapeText) : texts;
    return `{"${escapedTexts.join('","')}"}`;
  }
}

function escapeText(text: string): string {
  return text.replace(/[\\"]/g, '\\$&');
}
