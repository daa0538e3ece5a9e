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

/** The start of a check, or one of its findings, notes and progress reports. */
export type DoctorEvent = (Finding | Progress | Note | { kind: 'check'; title: string }) & { check: string };

/** All checks, in the order in which they run. The fast checks are first. */
const CHECKS: readonly Check[] = [isolation, backlog, counters, domains, packs, manifests, contents, forms];

/**
 * Checks everything that is stored: reads and hashes every content, checks that the contents of every manifest exist,
 * compares packs, files and counters, and checks the configuration.
 *
 * Can run while servers are running. Memory use does not depend on how much is stored. Nothing changes unless `fix` is
 * set. Then the doctor fixes counters, does the work of the sweep, and removes pack files without a row and damaged
 * compressed forms. The doctor never changes the contents of sites.
 *
 * Source: api §8; storage I1 to I4; security T13, T36.
 */
export async function* doctor(core: Core, options: DoctorOptions): AsyncGenerator<DoctorEvent> {
  for (const { name, title, run } of CHECKS) {
    yield { check: name, kind: 'check', title };
    for await (const event of run(core, options)) yield { check: name, ...event };
  }
}
