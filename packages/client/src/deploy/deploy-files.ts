import type { CreatedDeployment } from '@berth/contract';
import { yieldEvents } from '../progress.ts';
import type { DeployEvent } from './events.ts';
import type { DeployFilesInput, DeployOptions } from './input.ts';
import { publish, checkPublication } from './publish.ts';
import { memorySource } from './source.ts';
import { createTransientResumeState } from './resume-state.ts';

/**
 * Publishes files from memory. Works like `deployFolder` and emits the same events, except `walked` and `hashed`. Nothing is
 * remembered: an interrupted run cannot be resumed.
 *
 * @throws ClientError, as `deployFolder`.
 */
export function deployFiles(
  input: DeployFilesInput,
  options: DeployOptions = {},
): AsyncGenerator<DeployEvent, CreatedDeployment, undefined> {
  return yieldEvents(options.signal, (emit, signal) => {
    checkPublication(input);
    const source = memorySource(input.files);
    const context = {
      source,
      publication: input,
      lastDeployment: null,
      resumeState: createTransientResumeState(),
      emit,
      signal,
    };
    return publish(context, options, () => {});
  });
}
