import type { EventEmitter } from 'node:events';

export type Recorder = ReturnType<typeof createRecorder>;

/** Records the calls to the fake, such as `app.enableSandbox`, in order. */
export function createRecorder() {
  const calls: { name: string; args: readonly unknown[] }[] = [];
  return {
    record: (name: string, ...args: unknown[]) => void calls.push({ name, args }),
    /** The names of all calls. */
    names: () => calls.map(({ name }) => name),
    /** The arguments of each call of that name. */
    of: (name: string) => calls.filter((call) => call.name === name).map(({ args }) => args),
  };
}

/** Emits an event with an event object of Electron. @returns Whether a listener prevented it. */
export function isPrevented(emitter: EventEmitter, name: string, ...args: unknown[]): boolean {
  const event = new Event(name, { cancelable: true });
  emitter.emit(name, event, ...args);
  return event.defaultPrevented;
}
