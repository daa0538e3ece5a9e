import type { Backend, BackendOptions, Handlers, Summary } from '../../src/main/backend.ts';
import { COMMANDS } from '../../src/shared/channels.ts';
import type { AppState } from '../../src/shared/contract.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../src/shared/settings.ts';

/** A fake backend that publishes nothing and records calls. */
export interface SmallBackend extends Backend {
  readonly options: BackendOptions;
  /** The received commands, in order. */
  readonly asked: { name: string; input: unknown }[];
  readonly given: string[][];
  readonly online: boolean[];
  wakes: number;
  closes: number;
  summaryNow: Summary;
  settings: Settings;
  /** The outputs of commands that return something. */
  readonly answers: Map<string, () => Promise<unknown>>;
  /** A promise that `close` waits for. */
  closing: Promise<void>;
}

export const IDLE: Summary = { status: 'idle', text: 'Everything is up to date.', links: [], folders: [] };

export const GRANT = '0123456789abcdef0123456789abcdef';

export function createSmallBackend(options: BackendOptions): SmallBackend {
  const asked: SmallBackend['asked'] = [];
  const answers = new Map<string, () => Promise<unknown>>();
  const handlers = Object.fromEntries(
    COMMANDS.map((name) => [
      name,
      async (input: unknown) => {
        asked.push({ name, input });
        const answer = answers.get(name);
        if (answer !== undefined) return answer();
        return name === 'readState' ? stateOf(backend) : undefined;
      },
    ]),
  ) as unknown as Handlers;
  const backend: SmallBackend = {
    options,
    asked,
    answers,
    given: [],
    online: [],
    wakes: 0,
    closes: 0,
    summaryNow: IDLE,
    settings: DEFAULT_SETTINGS,
    closing: Promise.resolve(),
    handlers,
    give: async (paths) => {
      backend.given.push([...paths]);
      return paths.map((path) => ({ grant: GRANT, name: path.split('/').at(-1)!, kind: 'folder' as const }));
    },
    summary: () => backend.summaryNow,
    onWake: () => void (backend.wakes += 1),
    setOnline: (online) => void backend.online.push(online),
    setUpdate: (update) => options.emit('update', update),
    close: async () => {
      backend.closes += 1;
      await backend.closing;
    },
  };
  return backend;
}

function stateOf({ options, settings }: SmallBackend): AppState {
  return {
    publishings: [],
    folders: [],
    session: {
      servers: [{ origin: 'http://localhost:4000', signIn: { is: 'signed-out' } }],
      current: 'http://localhost:4000',
      keysKept: options.native.keychain.kept,
      online: true,
    },
    settings,
    update: { is: 'none' },
    about: options.about,
  };
}
