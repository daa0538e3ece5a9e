import type { InputIssue } from './errors.ts';

/** The maximum number of entries of a list in an error. Source: api §2. */
export const MAX_LISTED_ISSUES = 50;

/** The maximum total size of the entries of a list in an error as JSON, in bytes. Source: api §2. */
export const MAX_LISTED_BYTES = 12 * 1024;

const encoder = new TextEncoder();

/**
 * Collects the files of one deploy that are refused, so that one error can name them. Lists at most
 * {@link MAX_LISTED_ISSUES} files and counts the others, so memory does not grow with their number. Source: api §3.
 */
export class FileRefusals {
  readonly #issues: InputIssue[] = [];
  #listedBytes = 0;
  #count = 0;

  /** Adds a file. @param message What is invalid, and what would be valid. */
  add(path: string, message: string): void {
    this.#count += 1;
    const issue = { path, message };
    // The list ends at the first file that has no room, so that it always contains the first files.
    if (this.#issues.length < this.#count - 1 || this.#issues.length === MAX_LISTED_ISSUES) return;
    this.#listedBytes += encoder.encode(JSON.stringify(issue)).length;
    if (this.#issues.length === 0 || this.#listedBytes <= MAX_LISTED_BYTES) this.#issues.push(issue);
  }

  /** The number of refused files. */
  get count(): number {
    return this.#count;
  }

  /**
   * Returns the parts of the error that names the files; `null` if no file is refused. `file` is the path of the first file.
   * The message describes the first file and says how many others there are; it has no full stop.
   */
  summary(): { message: string; file: string; issues: readonly InputIssue[] } | null {
    const [firstIssue] = this.#issues;
    if (!firstIssue) return null;
    const others = this.#count - 1;
    const unlisted = this.#count - this.#issues.length;
    const numberOf = (files: number) => files.toLocaleString('en-US');
    const omission = unlisted > 0 ? `, ${numberOf(unlisted)} of them not listed` : '';
    const note = others > 0 ? ` (and ${numberOf(others)} more ${others === 1 ? 'file' : 'files'}${omission})` : '';
    return {
      message: `${firstIssue.path}: ${firstIssue.message}${note}`,
      file: firstIssue.path,
      issues: [...this.#issues],
    };
  }
}
