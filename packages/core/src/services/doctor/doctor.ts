import type { Core } from '../../core.ts';
import { backlog } from './backlog.ts';
import type { Check, DoctorOptions, Finding, Note, Progress } from './checks.ts';
import { contents } from './contents.ts';
import { counters } from './counters.ts';
import { domains } from './domains.ts';
import { forms } from './forms.ts';
import { isolation } from './isolation.ts';
import { manifests } from './manifests.ts';
import { packs } from './packs.ts';

/** What the doctor tells while it works: which check begins, and what it comes upon. */
export type DoctorEvent = (Finding | Progress | Note | { kind: 'check'; title: string }) & { check: string };

/** The quick ones first. */
const CHECKS: readonly Check[] = [isolation, backlog, counters, domains, packs, manifests, contents, forms];

/**
 * Examines everything that is stored: reads every content again and hashes it, follows every manifest to its contents,
 * holds packs, files and counters against one another, and looks at the configuration.
 *
 * Safe beside running servers. Memory stays flat whatever is stored. Without `fix` nothing is changed. With it, what can
 * be mended without losing anything is: counters, work that waits for the sweep, files of packs that no row knows,
 * compressed forms that are damaged. The contents of sites are never touched.
 *
 * Source: contract §8; security I1 to I4, T13, T36.
 */
export async function* doctor(core: Core, options: DoctorOptions): AsyncGenerator<DoctorEvent> {
  for (const { name, title, run } of CHECKS) {
    yield { check: name, kind: 'check', title };
    for await (const event of run(core, options)) yield { check: name, ...event };
  }
}
