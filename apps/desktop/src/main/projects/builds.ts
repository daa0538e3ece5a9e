import { join } from 'node:path';
import { z } from 'zod';
import type { BuildOutput } from '../../shared/publishing.ts';
import { type JsonFile, openJsonFile, type StoreOptions } from '../storage/json-file.ts';
import { BuildRun, runBuild } from './run-build.ts';

/** The maximum number of characters of a build's output that the page shows. */
const MAX_OUTPUT = 8_000;
/** The maximum number of remembered projects. The oldest are forgotten first. */
const MAX_PROJECTS = 200;

const StoredBuilds = z.object({
  version: z.literal(1),
  approved: z.array(BuildRun),
});
type StoredBuilds = z.infer<typeof StoredBuilds>;

/** Opens the list of build commands that the user has approved. @throws Error when `builds.json` cannot be read. */
export async function openBuilds({ dataDir, onDamaged }: StoreOptions): Promise<Builds> {
  const file = await openJsonFile<StoredBuilds>({
    path: join(dataDir, 'builds.json'),
    schema: StoredBuilds,
    initialValue: { version: 1, approved: [] },
    onDamaged,
  });
  return new Builds(file);
}

/** Runs the builds of projects. A command runs only after the user has approved it for its project. */
export class Builds {
  readonly #file: JsonFile<StoredBuilds>;

  constructor(file: JsonFile<StoredBuilds>) {
    this.#file = file;
  }

  /** True if the user has approved this command for this project. Another command must be approved again. */
  isApproved({ root, command }: BuildRun): boolean {
    return this.#file.value().approved.some((each) => each.root === root && each.command === command);
  }

  /** Remembers that the user has approved a command. A write that fails only means that the user is asked again. */
  approve({ root, command }: BuildRun): void {
    const others = (approved: StoredBuilds['approved']) => approved.filter((each) => each.root !== root);
    void this.#file
      .change(({ approved, ...stored }) => ({
        ...stored,
        approved: [{ root, command }, ...others(approved)].slice(0, MAX_PROJECTS),
      }))
      .catch(() => {});
  }

  /**
   * Runs an approved build.
   *
   * @param show Called with the end of the output whenever it has changed.
   * @throws ClientError `folder` when the build fails; `aborted`.
   */
  async run(build: BuildRun, signal: AbortSignal, show: (output: BuildOutput) => void): Promise<void> {
    const { command } = build;
    let text = '';
    show({ command, text, isRunning: true });
    try {
      await runBuild(build, {
        signal,
        onOutput(more) {
          text = (text + more).slice(-MAX_OUTPUT);
          show({ command, text, isRunning: true });
        },
      });
    } finally {
      show({ command, text, isRunning: false });
    }
  }
}
