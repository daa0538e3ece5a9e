/** One invalid variable. */
export interface ConfigFault {
  variable: string;
  /** What is wrong and what would be right. Contains no secret. */
  message: string;
}

/** Everything that is wrong with the environment, one fault a line. */
export class ConfigError extends Error {
  readonly faults: readonly ConfigFault[];

  constructor(faults: readonly ConfigFault[]) {
    super(faults.map(({ variable, message }) => `${variable}: ${message}.`).join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}
