import type { CommandName, EventName } from '../../../src/shared/channels.ts';

/** How the fake app answers a command: with a value, a problem, a page of a list, later, or never. */
export type Script =
  | { value: unknown }
  | { problem: unknown }
  | { /** The answers for the pages of a list. The cursor of a page is its number. */ pages: readonly unknown[] }
  | { /** The answer waits until the test sets another script for the command. */ later: true }
  | { never: true };

/** Options of the fake app, set before the page is loaded. */
export interface FakeOptions {
  readState: Script;
  answers: Partial<Record<CommandName | 'grant', Script>>;
  commands: readonly string[];
  events: readonly string[];
}

/** Controls the fake app from a test. The page has it as `window.fake`. */
export interface Fake {
  /** The commands that the page sent, in order. */
  sent: { name: CommandName | 'grant'; input: unknown }[];
  emit(name: EventName, data: unknown): void;
  answer(name: CommandName | 'grant', script: Script): void;
  /** Violations of the page's content security policy. */
  violations: string[];
}

declare global {
  interface Window {
    fake: Fake;
  }
}

/** Installs a `window.desktop` that records commands and answers by script. Runs in the page, so it cannot use variables of this file. */
export function installFake({ readState, answers, commands, events }: FakeOptions): void {
  const sentCommands: Fake['sent'] = [];
  const violations: string[] = [];
  const listeners = new Map<string, Set<(data: unknown) => void>>();
  const scripts: Record<string, Script | undefined> = { readState, ...answers };

  const waitingCommands: { name: string; resolve: () => void }[] = [];
  const replyTo = async (name: CommandName | 'grant', input: unknown, isRetry = false): Promise<unknown> => {
    if (!isRetry) sentCommands.push({ name, input: structuredClone(input) });
    const script = scripts[name];
    if (script === undefined) return { ok: true, value: undefined };
    if ('never' in script) return new Promise(() => {});
    if ('later' in script)
      return new Promise<void>((resolve) => waitingCommands.push({ name, resolve })).then(() =>
        replyTo(name, input, true),
      );
    if ('problem' in script) return { ok: false, problem: script.problem };
    if ('value' in script) return { ok: true, value: structuredClone(script.value) };
    const { cursor } = (input ?? {}) as { cursor?: string };
    return { ok: true, value: structuredClone(script.pages[Number(cursor ?? 0)]) };
  };
  const desktop = {
    commands: Object.fromEntries(
      commands.map((name) => [name, (input: unknown) => replyTo(name as CommandName, input)]),
    ),
    events: Object.fromEntries(
      events.map((name) => [
        name,
        (listener: (data: unknown) => void) => {
          const subscribers = listeners.get(name) ?? new Set();
          listeners.set(name, subscribers.add(listener));
          return () => void subscribers.delete(listener);
        },
      ]),
    ),
    grant: (files: readonly File[]) =>
      replyTo(
        'grant',
        [...files].map(({ name }) => name),
      ),
  };
  const fake: Fake = {
    sent: sentCommands,
    violations,
    emit: (name, data) => listeners.get(name)?.forEach((listener) => listener(data)),
    answer: (name, script) => {
      scripts[name] = script;
      // The answers arrive in reverse order, 20 ms apart, as on a slow network.
      const pendingCommands = waitingCommands.filter((each) => each.name === name).toReversed();
      for (const [index, each] of pendingCommands.entries()) {
        waitingCommands.splice(waitingCommands.indexOf(each), 1);
        setTimeout(each.resolve, index * 20);
      }
    },
  };
  Object.assign(window, { desktop, fake });
  document.addEventListener('securitypolicyviolation', (event) =>
    violations.push(`${event.violatedDirective}: ${event.blockedURI}`),
  );
}
