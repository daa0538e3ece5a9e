/** Control characters, line separators, and characters that change the direction of text. */
const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Escapes every character that would move the cursor, start a line or change the direction of text: `\u001b` for ESC. Escaped
 * JSON keeps its meaning.
 */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
