/** One call to Electron. */
interface Call {
  /** Such as `app.enableSandbox`. */
  name: string;
  args: readonly unknown[];
}

/** Records the calls to the fake, in order. */
export interface Recorder {
  readonly calls: readonly Call[];
  record(name: string, ...args: unknown[]): void;
  /** The names of all calls, in order. */
  names(): string[];
  /** The arguments of each call of that name. */
  of(name: string): (readonly unknown[])[];
}

export function createRecorder(): Recorder {
  const calls: Call[] = [];
  return {
    calls,
    record: (name, ...args) => void calls.push({ name, args }),
    names: () => calls.map(({ name }) => name),
    of: (name) => calls.filter((call) => call.name === name).map(({ args }) => args),
  };
}

/** The event object of Electron events that can be prevented. */
export function preventable<T extends object>(more?: T): { defaultPrevented: boolean; preventDefault(): void } & T {
  const event = {
    defaultPrevented: false,
    preventDefault() {
      event.defaultPrevented = true;
    },
    ...more,
  };
  return event as { defaultPrevented: boolean; preventDefault(): void } & T;
}
