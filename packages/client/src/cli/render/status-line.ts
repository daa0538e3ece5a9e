const CLEAR_LINE = '\r\u001b[2K';

/** Lines that stay, with one below them that changes. */
export interface StatusLine {
  /** Prints lines that stay. */
  print(lines: readonly string[]): void;
  /** Shows what changes, in place of what it showed before. Does nothing where nobody looks on. */
  show(status: string): void;
  /** Takes what changes away. */
  clear(): void;
}

/** @param isLive Whether a person looks on, on a terminal that can take a line back. */
export function statusLine(write: (text: string) => void, isLive: boolean): StatusLine {
  let shown = '';
  const change = (status: string, lines = '') => {
    const before = shown === '' ? '' : CLEAR_LINE;
    shown = status;
    if (before + lines + status !== '') write(before + lines + status);
  };
  return {
    print: (lines) => lines.length > 0 && change(shown, lines.map((line) => `${line}\n`).join('')),
    show: (status) => isLive && status !== shown && change(status),
    clear: () => change(''),
  };
}
