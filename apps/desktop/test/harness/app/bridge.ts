/** The payload of an event between the worlds. */
type Message =
  | { is: 'expose'; name: string; value: unknown }
  | { is: 'call'; id: number; args: unknown[] }
  | { is: 'answer'; ok: boolean; value: unknown }
  | { is: 'settled'; id: number; ok: boolean; value: unknown };

/** Represents a function or a promise in a message to the other world. */
interface Reference {
  bridged: 'function' | 'promise';
  id: number;
}

/** One end of the bridge. */
export interface Bridge {
  /** Makes a value a global of the other world. */
  expose(name: string, value: unknown): void;
}

/**
 * Opens one end of a replacement for Electron's context bridge. Two worlds of a page share the document but no objects: the
 * payload of an event, files included, is cloned between them. It behaves like the real bridge: arguments and results are
 * copied, functions and promises are proxied, calls are synchronous, exposed values are frozen, and only the message of an
 * error is passed on.
 *
 * @param to The name of the events for the other world. @param from The name of the events for this world.
 */
export function openBridge(to: string, from: string): Bridge {
  const functions: ((...args: unknown[]) => unknown)[] = [];
  const promises = new Map<number, PromiseWithResolvers<unknown>>();
  let promised = 0;
  let answer: { ok: boolean; value: unknown } = { ok: false, value: 'The other world is not there' };

  const say = (message: Message) => void window.dispatchEvent(new CustomEvent(to, { detail: message }));

  const pack = (value: unknown): unknown => {
    if (typeof value === 'function') {
      const id = functions.push(value as (typeof functions)[number]) - 1;
      return { bridged: 'function', id } satisfies Reference;
    }
    if (!(value instanceof Promise)) return mapPlain(value, pack);
    const id = (promised += 1);
    value.then(
      (result) => say({ is: 'settled', id, ok: true, value: pack(result) }),
      (thrown: unknown) => say({ is: 'settled', id, ok: false, value: messageOf(thrown) }),
    );
    return { bridged: 'promise', id } satisfies Reference;
  };

  const unpack = (value: unknown): unknown => {
    if (!isReference(value)) return mapPlain(value, unpack);
    if (value.bridged === 'function') return (...args: unknown[]) => call(value.id, args);
    const promise = Promise.withResolvers<unknown>();
    promises.set(value.id, promise);
    return promise.promise;
  };

  const call = (id: number, args: unknown[]): unknown => {
    say({ is: 'call', id, args: args.map(pack) });
    const { ok, value } = answer;
    if (!ok) throw new Error(String(value));
    return unpack(value);
  };

  const called = (id: number, args: unknown[]): Message => {
    try {
      return { is: 'answer', ok: true, value: pack(functions[id]!(...args.map(unpack))) };
    } catch (thrown) {
      return { is: 'answer', ok: false, value: messageOf(thrown) };
    }
  };

  const settled = ({ id, ok, value }: Message & { is: 'settled' }): void => {
    const promise = promises.get(id);
    promises.delete(id);
    if (ok) promise?.resolve(unpack(value));
    else promise?.reject(new Error(String(value)));
  };

  window.addEventListener(from, (event) => {
    // Each read of `detail` of an event from the other world makes a new copy.
    const message = (event as CustomEvent<Message>).detail;
    if (message.is === 'call') say(called(message.id, message.args));
    else if (message.is === 'answer') answer = message;
    else if (message.is === 'settled') settled(message);
    else Object.defineProperty(window, message.name, { value: frozen(unpack(message.value)), enumerable: true });
  });
  return { expose: (name, value) => say({ is: 'expose', name, value: pack(value) }) };
}

function isReference(value: unknown): value is Reference {
  return typeof value === 'object' && value !== null && 'bridged' in value;
}

/** Maps the elements of arrays and plain objects; returns other values unchanged. */
function mapPlain(value: unknown, map: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(map);
  if (typeof value !== 'object' || value === null || value instanceof Blob) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, map(inner)]));
}

function frozen(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
