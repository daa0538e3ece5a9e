import { closeSync, openSync, readSync } from 'node:fs';

/** The maximum size of a file with a secret, in bytes. */
const SECRET_FILE_BYTES = 64 * 1024;

/** The message lists all invalid variables, one per line, and says which values are valid. It contains no secrets. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Reads environment variables and collects all faults. An empty variable counts as absent. */
export class EnvironmentReader {
  /** `NODE_ENV`; every value except `production` and `test` counts as `development`. */
  readonly mode: 'production' | 'test' | 'development';
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #faults: { variable: string; message: string }[] = [];

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
    const mode = env['NODE_ENV'];
    this.mode = mode === 'production' || mode === 'test' ? mode : 'development';
  }

  /** Parses a variable. Returns the fallback for an absent one, and for an invalid one, which counts as a fault. */
  read<T>(variable: string, fallback: T, parse: (text: string) => T): T {
    const text = this.#env[variable]?.trim();
    if (!text) return fallback;
    try {
      return parse(text);
    } catch (error) {
      for (const singleError of error instanceof AggregateError ? error.errors : [error])
        this.addFault(variable, (singleError as Error).message);
      return fallback;
    }
  }

  /**
   * Like {@link read}, but the value can also be in a file whose path is in `<variable>_FILE`. White space
   * around it does not count. It is a fault to set both variables. Messages never contain the content of the file.
   */
  readSecret<T>(variable: string, fallback: T, parse: (text: string) => T): T {
    const fileVariable = `${variable}_FILE`;
    const text = this.read<string | null>(fileVariable, null, readSecretFile);
    if (text === null) return this.read(variable, fallback, parse);
    if (!this.#env[variable]?.trim()) return this.read(fileVariable, fallback, () => parse(text));
    this.addFault(fileVariable, `set either ${variable} or ${fileVariable}, not both`);
    return fallback;
  }

  /** Reads a variable in tests; everywhere else, returns the fallback. */
  readInTests<T>(variable: string, fallback: T, parse: (text: string) => T): T {
    return this.mode === 'test' ? this.read(variable, fallback, parse) : fallback;
  }

  addFault(variable: string, message: string): void {
    this.#faults.push({ variable, message });
  }

  /** Whether none of the named variables has a fault so far. */
  isSound(...variables: string[]): boolean {
    return !this.#faults.some(({ variable }) => variables.includes(variable));
  }

  /** @throws ConfigError if there is a fault. */
  throwFaults(): void {
    if (this.#faults.length === 0) return;
    throw new ConfigError(this.#faults.map(({ variable, message }) => `${variable}: ${message}.`).join('\n'));
  }
}

/** Reads at most one byte more than the limit, because the path may lead to a device without an end. */
function readSecretFile(file: string): string {
  const buffer = Buffer.alloc(SECRET_FILE_BYTES + 1);
  let size = 0;
  try {
    const descriptor = openSync(file, 'r');
    try {
      for (let count = -1; count !== 0 && size < buffer.length; size += count)
        count = readSync(descriptor, buffer, size, buffer.length - size, null);
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(`the file cannot be read (${code}); use the path of a readable file`, { cause });
  }
  if (size > SECRET_FILE_BYTES) throw new Error(`the file must have at most ${SECRET_FILE_BYTES / 1024} KiB`);
  const text = buffer.toString('utf8', 0, size).trim();
  if (text === '') throw new Error('the file must contain a value, but it is empty');
  return text;
}
