import { performance } from 'node:perf_hooks';
import type { Compressor, GivenContent } from '../../compressor/compressor.ts';
import type { Forms } from '../../compressor/forms.ts';
import type { Core } from '../../core.ts';
import { failpoint } from '../../failpoints.ts';
import type { StoredBytes } from '../../serving/site.ts';
import { commitWith } from '../packs/open-packs.ts';
import { attempt } from '../work-through.ts';
import { openFormsPack } from './forms-pack.ts';
import { leftToCompress, takeDue } from './left-to-compress.ts';
import { recordForms } from './record-forms.ts';

/** How one run works. */
export interface CompressionOptions {
  /** Ends the run: what was made is kept, the content at hand is given up. */
  signal?: AbortSignal;
  /** How long one deployment is worked on before what was made is kept and others have their turn, in milliseconds. */
  turnMs?: number;
}

const TURN_MS = 10_000;
/** How many processes may die of a content before it is left as it is. */
const MOST_CRASHES = 2;

/**
 * Compresses the files of deployments that wait for it, one content at a time, until none is due. A content is compressed
 * once, whoever has it; the forms of a turn lie in a pack of their own. Any number of processes may run it.
 *
 * A deployment that fails is logged and due again some minutes later; the others are still compressed.
 *
 * @returns How many deployments are done.
 * @throws what the database did. Source: serving S48.
 */
export async function compressDeployments(
  core: Core,
  compressor: Compressor,
  { signal = new AbortController().signal, turnMs = TURN_MS }: CompressionOptions = {},
): Promise<number> {
  let done = 0;
  while (!signal.aborted) {
    const deployment = await takeDue(core);
    if (deployment === null) break;
    const outcome = await attempt(core, { task: 'compress deployments', deployment }, () =>
      takeTurn(core, compressor, deployment, { signal, turnMs }),
    );
    if (outcome.ok && outcome.value) done += 1;
  }
  return done;
}

/** @returns Whether nothing is left to do. */
async function takeTurn(
  core: Core,
  compressor: Compressor,
  deployment: string,
  { signal, turnMs }: Required<CompressionOptions>,
): Promise<boolean> {
  const left = await leftToCompress(core, deployment);
  const end = performance.now() + turnMs;
  const pack = openFormsPack(core);
  let made = 0;
  try {
    for (const content of left) {
      const forms = await formsOf(core, compressor, content, signal);
      if (forms === null) break;
      await pack.add(content.sha256, forms);
      made += 1;
      if (performance.now() >= end) break;
    }
    const isDone = made === left.length;
    const sealed = await pack.seal();
    failpoint('compression.sealed');
    await commitWith(core, pack, (em) => recordForms(em, core, { deployment, ...sealed, isDone }));
    failpoint('compression.recorded');
    return isDone;
  } finally {
    await pack.close();
  }
}

/**
 * What comes of a content: nothing when its bytes are lost, or when each process dies of it. `null` when the run was ended.
 *
 * @throws for faults that may pass.
 */
async function formsOf(
  core: Core,
  compressor: Compressor,
  content: StoredBytes,
  signal: AbortSignal,
): Promise<Forms | null> {
  const { sha256, pack } = content;
  const bytes = await readContent(core, content);
  for (let crashes = 0; bytes !== null && crashes < MOST_CRASHES; crashes += 1) {
    const outcome = await compressOne(compressor, { bytes, sha256 }, signal);
    switch (outcome.kind) {
      case 'ended':
        return null;
      case 'forms':
        return outcome.forms;
      case 'damaged':
        core.log.error({ content: sha256, pack }, 'A content does not have the bytes it was stored with');
        return {};
      case 'crashed':
        core.log.warn({ content: sha256, pack, how: outcome.how }, 'The process that compresses died of a content');
        break;
      default:
        outcome satisfies never;
    }
  }
  return {};
}

async function compressOne(compressor: Compressor, content: GivenContent, signal: AbortSignal) {
  try {
    return await compressor.compress(content, signal);
  } catch (error) {
    if (signal.aborted) return { kind: 'ended' } as const;
    throw error;
  }
}

/** @returns `null` when the bytes are not there: their pack was swept meanwhile, or they are lost. */
async function readContent(core: Core, content: StoredBytes): Promise<Buffer | null> {
  try {
    return await core.packs.read(content);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined && code !== 'ENOENT') throw error;
    core.log.warn({ err: error, content: content.sha256 }, 'A content that is not there was not compressed');
    return null;
  }
}
