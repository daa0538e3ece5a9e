import type { MissingReason } from './events.ts';
import { failed } from './failed.ts';
import type { WatchRule } from './rule.ts';
import {
  calm,
  type Decision,
  type Effect,
  type Happening,
  type Live,
  type Look,
  tell,
  unsettled,
  type WatchState,
} from './state.ts';

/**
 * Decides what follows from a happening.
 *
 * A folder is settled when two looks in a row found the same, and nothing was heard from the start of the first to the end of
 * the second one; or, where changes never end, when they are a whole quiet period apart. So what is published has stood
 * still, and was whole as far as anybody can tell from outside. A look begins so much before its time as the last one took:
 * what counts is that the folder was quiet until its end.
 *
 * Source: the watch rule, D2 to D8.
 */
export function decide(state: WatchState, happening: Happening, now: number, rule: WatchRule): Decision {
  const taken = take(state, happening, now, rule);
  if (wakeAt(taken.state, rule) > now) return taken;
  return {
    state: { ...taken.state, busy: { doing: 'look', since: now, fresh: true } },
    effects: [...taken.effects, { do: 'look' }],
  };
}

/** When there is something to decide if nothing happens before; infinite while something is under way. */
export function wakeAt({ busy, changes, seen, lookMs, pause, lookAt }: WatchState, rule: WatchRule): number {
  if (busy !== null) return Number.POSITIVE_INFINITY;
  if (changes === null) return lookAt;
  const half = rule.quietMs / 2;
  const early = Math.min(lookMs, half / 2);
  const calm =
    seen?.fresh === true ? Math.max(seen.at + half, changes.last + rule.quietMs - early) : changes.last + half - early;
  const restless = Math.max(changes.first + rule.longestMs, seen === null ? 0 : seen.at + rule.quietMs);
  return Math.max(Math.min(calm, restless), pause?.until ?? 0);
}

function take(state: WatchState, happening: Happening, now: number, rule: WatchRule): Decision {
  switch (happening.type) {
    case 'woken':
      return { state, effects: [] };
    case 'changed':
      return changed(state, now, rule);
    case 'nudged':
      return happening.asked ? asked(state, now) : hurried(state, now);
    case 'looked':
      return looked(state, happening.look, now, rule);
    case 'published':
    case 'found':
      return published(state, happening);
    case 'failed':
      return failed({ ...state, busy: null }, state.busy, happening.error, now, rule);
    case 'deafened':
      return {
        state: { ...state, polling: true, lookAt: now },
        effects: state.polling
          ? []
          : tell({ type: 'polling', everyMs: rule.pollEveryMs, reason: happening.error.message }),
      };
    default:
      return happening satisfies never;
  }
}

/** The quiet period starts again. A pause because of a broken line is cut short: whoever works may be back. */
function changed(state: WatchState, now: number, rule: WatchRule): Decision {
  const { busy, seen, pause, torn } = state;
  return {
    state: {
      ...unsettled(state, now, true),
      seen: seen && { ...seen, fresh: false },
      busy: busy?.doing === 'look' ? { ...busy, fresh: false } : busy,
      torn: torn && { ...torn, still: 0 },
      pause: pause?.offline === true ? { ...pause, until: Math.min(pause.until, now + rule.firstPauseMs) } : pause,
    },
    effects: state.changes?.told === true ? [] : tell({ type: 'settling' }),
  };
}

/** Who asks gets an answer: what was refused, or told before, is gone through again. */
function asked(state: WatchState, now: number): Decision {
  return {
    state: { ...calm(unsettled(state, now, true)), missing: state.missing && { ...state.missing, told: null } },
    effects: state.changes?.told === true ? [] : tell({ type: 'settling' }),
  };
}

/** The line may be back, and changes may have been missed. What the server asked to wait for is waited for. */
function hurried(state: WatchState, now: number): Decision {
  return { state: { ...state, lookAt: now, pause: state.pause?.offline === true ? null : state.pause }, effects: [] };
}

function looked(state: WatchState, look: Look, now: number, rule: WatchRule): Decision {
  const { busy, changes, seen, live, held, missing } = state;
  if (busy?.doing !== 'look') throw new Error('A look ended that was not under way');
  const rested = {
    ...state,
    busy: null,
    lookMs: now - busy.since,
    lookAt: now + (state.polling ? rule.pollEveryMs : rule.lookEveryMs),
  };
  if (changes === null) {
    const reason = unpublishable(look, live);
    if (reason !== null && missing !== null) return absent(rested, reason, missing.since, now, rule);
    const isMissed = (missing?.told ?? null) !== null;
    if (reason === null && live?.sure === true && look.id === live.id)
      return {
        state: calm({ ...rested, missing: null }),
        effects: isMissed || held !== null ? tell({ type: 'unchanged' }) : [],
      };
    // What was refused is so still; but where something else was told since, it is gone through again.
    if (reason === null && look.id === held && !isMissed) return { state: { ...rested, missing: null }, effects: [] };
    return {
      state: { ...unsettled(rested, busy.since, false), seen: { look, at: busy.since, fresh: busy.fresh } },
      effects: [],
    };
  }
  const stoodStill =
    (seen?.fresh === true && busy.fresh) ||
    (seen !== null && busy.since >= changes.first + rule.longestMs && busy.since >= seen.at + rule.quietMs);
  if (!stoodStill || seen.look.id !== look.id)
    return { state: { ...rested, seen: { look, at: busy.since, fresh: busy.fresh } }, effects: [] };
  return settled({ ...rested, changes: null, seen: null }, look, changes, now, rule);
}

function settled(
  state: WatchState,
  look: Look,
  { first, told }: { first: number; told: boolean },
  now: number,
  rule: WatchRule,
): Decision {
  const listen: Effect[] = told || state.polling ? [] : [{ do: 'listen' }];
  const reason = unpublishable(look, state.live);
  if (reason !== null) return absent(state, reason, first, now, rule, listen);
  const present = { ...state, missing: null };
  if (state.live?.sure === true && state.live.id === look.id)
    return { state: calm(present), effects: [...listen, ...(told ? tell({ type: 'unchanged' }) : [])] };
  return {
    state: { ...present, busy: { doing: 'publish', id: look.id, frontPage: look.frontPage } },
    effects: [...listen, { do: 'publish' }],
  };
}

/** There is nothing to publish: waited for in silence for a while, then told. */
function absent(
  state: WatchState,
  reason: MissingReason,
  first: number,
  now: number,
  rule: WatchRule,
  effects: readonly Effect[] = [],
): Decision {
  const { since, told } = state.missing ?? { since: first, told: null };
  const over = since + rule.graceMs;
  if (now < over)
    return { state: { ...state, torn: null, missing: { since, told }, lookAt: Math.min(state.lookAt, over) }, effects };
  return {
    state: { ...state, torn: null, missing: { since, told: reason } },
    effects: told === reason ? effects : [...effects, ...tell({ type: 'missing', reason })],
  };
}

function published(state: WatchState, happening: Happening & { type: 'published' | 'found' }): Decision {
  if (state.busy?.doing !== 'publish') throw new Error('Something was published that nobody asked for');
  const { id, frontPage } = state.busy;
  return {
    state: calm({ ...state, busy: null, live: { id, frontPage, sure: true } }),
    effects: tell(happening.type === 'published' ? happening : { type: 'unchanged' }),
  };
}

/** Why what was found is not to be published, if so. Source: the watch rule, D3. */
function unpublishable(look: Look, live: Live | null): MissingReason | null {
  if (look.found !== 'files') return look.found;
  return live?.frontPage === true && !look.frontPage ? 'no-front-page' : null;
}
