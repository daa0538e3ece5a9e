const CONTROLS = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** A text that came from elsewhere, without the characters that would move the cursor or turn the line around. */
export function printable(text: string): string {
  return text.replace(CONTROLS, '');
}
