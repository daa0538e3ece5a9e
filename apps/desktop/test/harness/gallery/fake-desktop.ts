import type { CommandName, EventName } from '../../../src/shared/channels.ts';

/** How the fake answers a command: with a value, with a problem, page by page, later, or never. */
export type Script =
  | { value: unknown }
  | { problem: unknown }
  | { /** One answer for each page; the cursor of a page is its number. */ pages: readonly unknown[] }
  | { /** Waits until the command gets another script. */ later: true }
  | { never: true };

/** Options of the fake, set before the page starts. */
export interface FakeOptions {
  state: unknown;
  answers: Partial<Record<CommandName | 'grant', Script>>;
  commands: readonly string[];
  events: readonly string[];
}

/** The fake's interface for tests, available in the page as `window.fake`. */
export interface Fake {
  /** The commands that the page sent, in order. */
  asked: { name: CommandName | 'grant'; input: unknown }[];
  tell(name: EventName, data: unknown): void;
  answer(name: CommandName | 'grant', script: Script): void;
  /** Violations of the page's content security policy. */
  violations: string[];
}

declare global {
  interface Window {
    fake: Fake;
  }
}

/** Installs a `window.desktop` that records commands and answers them by script. Runs in the page, so it cannot use this file's scope. */
export function installFake({ state, answers, commands, events }: FakeOptions): void {
  const asked: Fake['asked'] = [];
  const violations: string[] = [];
  const listeners = new Map<string, Set<(data: unknown) => void>>();
  const scripts: Record<string, Script | undefined> = { readState: { value: state }, ...answers };

  const waiting: { name: string; resolve: () => void }[] = [];
  const reply = async (name: CommandName | 'grant', input: unknown, isAsked = false): Promise<unknown> => {
    if (!isAsked) asked.push({ name, input: structuredClone(input) });
    const script = scripts[name];
    if (script === undefined) return { ok: true, value: undefined };
    if ('never' in script) return new Promise(() => {});
    if ('later' in script)
      return new Promise<void>((resolve) => waiting.push({ name, resolve })).then(() => reply(name, input, true));
    if ('problem' in script) return { ok: false, problem: script.problem };
    if ('value' in script) return { ok: true, value: structuredClone(script.value) };
    const { cursor } = (input ?? {}) as { cursor?: string };
    return { ok: true, value: structuredClone(script.pages[Number(cursor ?? 0)]) };
  };
  const desktop = {
    commands: Object.fromEntries(commands.map((name) => [name, (input: unknown) => reply(name as CommandName, input)])),
    events: Object.fromEntries(
      events.map((name) => [
        name,
        (listener: (data: unknown) => void) => {
          const heard = listeners.get(name) ?? new Set();
          listeners.set(name, heard.add(listener));
          return () => void heard.delete(listener);
        },
      ]),
    ),
    grant: (files: readonly File[]) =>
      reply(
        'grant',
        [...files].map(({ name }) => name),
      ),
  };
  const fake: Fake = {
    asked,
    violations,
    tell: (name, data) => listeners.get(name)?.forEach((listener) => listener(data)),
    answer: (name, script) => {
      scripts[name] = script;
      // Answer in reverse order, 20 ms apart, as a slow network may.
      const meant = waiting.filter((each) => each.name === name).toReversed();
      for (const [turn, each] of meant.entries()) {
        waiting.splice(waiting.indexOf(each), 1);
        setTimeout(each.resolve, turn * 20);
      }
    },
  };
  Object.assign(window, { desktop, fake });
  document.addEventListener('securitypolicyviolation', (event) =>
    violations.push(`${event.violatedDirective}: ${event.blockedURI}`),
  );
}
