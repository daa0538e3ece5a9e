/** An unfinished deploy. */
export interface ResumeState {
  /** The idempotency key of the deploy. */
  readonly key: string;
  /** Whether a later run can resume the deploy. */
  readonly isPersistent: boolean;
  /** Replaces the key, for a server that cannot continue with the old key. */
  renew(): void;
  /** Removes what is stored about a finished deploy. */
  forget(): void;
}

/** Creates the state of a deploy that no later run can resume. */
export function unsavedResumeState(): ResumeState {
  let key = createIdempotencyKey();
  return {
    get key() {
      return key;
    },
    isPersistent: false,
    renew: () => void (key = createIdempotencyKey()),
    forget: () => {},
  };
}

/** Creates a random key of 32 hex digits. Pages without TLS have no `crypto.randomUUID`. */
export function createIdempotencyKey(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(16)));
}

/** Formats bytes as lower-case hex digits. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
