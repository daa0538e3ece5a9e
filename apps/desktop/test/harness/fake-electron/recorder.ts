import type { EventEmitter } from 'node:events';

export type Recorder = ReturnType<typeof createRecorder>;

/** Creates a recorder of the calls to the fake Electron, such as `app.enableSandbox`, in order. */
export function createRecorder() {
  const calls: { name: string; args: readonly unknown[] }[] = [];
  return {
    record: (name: string, ...args: unknown[]) => void calls.push({ name, args }),
    /** Returns the names of all calls. */
    names: () => calls.map(({ name }) => name),
    /** Returns the arguments of each call with a name. */
    of: (name: string) => calls.filter((call) => call.name === name).map(({ args }) => args),
  };
}

/** Emits an event that a listener can prevent. @returns Whether a listener prevented the event. */
export function isPrevented(emitter: EventEmitter, name: string, ...args: unknown[]): boolean {
  const event = new Event(name, { cancelable: true });
  emitter.emit(name, event, ...args);
  return event.defaultPrevented;
}
