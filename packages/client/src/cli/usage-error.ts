/** What was typed, or what a setting says, cannot be used. The message says what would be right. */
export class UsageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UsageError';
  }
}
