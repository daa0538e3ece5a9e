/** Everything that is wrong with the environment, one fault a line: the variable, and what would be right. No secrets. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Reads variables of an environment and collects every fault. An empty variable counts as absent. */
export class EnvironmentReader {
  /** `NODE_ENV`; every value but `production` and `test` counts as `development`. */
  readonly mode: 'production' | 'test' | 'development';
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #faults: { variable: string; message: string }[] = [];

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
    const mode = env['NODE_ENV'];
    this.mode = mode === 'production' || mode === 'test' ? mode : 'development';
  }

  /** The parsed value of a variable; the fallback if it is absent or `parse` throws, which counts as a fault. */
  read<T>(variable: string, fallback: T, parse: (text: string) => T): T {
    const text = this.#env[variable]?.trim();
    if (!text) return fallback;
    try {
      return parse(text);
    } catch (error) {
      for (const each of error instanceof AggregateError ? error.errors : [error])
        this.addFault(variable, (each as Error).message);
      return fallback;
    }
  }

  /** Like {@link read}, but outside of tests the variable is ignored. */
  readInTests<T>(variable: string, fallback: T, parse: (text: string) => T): T {
    return this.mode === 'test' ? this.read(variable, fallback, parse) : fallback;
  }

  addFault(variable: string, message: string): void {
    this.#faults.push({ variable, message });
  }

  /** Whether none of these variables has a fault so far. */
  isSound(...variables: string[]): boolean {
    return !this.#faults.some(({ variable }) => variables.includes(variable));
  }

  /** @throws ConfigError with all faults, if there are any. */
  throwFaults(): void {
    if (this.#faults.length === 0) return;
    throw new ConfigError(this.#faults.map(({ variable, message }) => `${variable}: ${message}.`).join('\n'));
  }
}
