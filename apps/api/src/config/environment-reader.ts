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
