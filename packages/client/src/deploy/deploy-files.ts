import type { CreatedDeployment } from '@berth/contract';
import { withEvents } from '../progress.ts';
import type { DeployEvent } from './events.ts';
import type { DeployFilesInput, DeployOptions } from './input.ts';
import { publish, refuseImpossible } from './publish.ts';
import { memorySource } from './source.ts';
import { withoutMemory } from './unfinished.ts';

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
  return withEvents(options.signal, (tell, signal) => {
    refuseImpossible(input);
    const source = memorySource(input.files);
    const work = { source, asked: input, published: null, unfinished: withoutMemory(), tell, signal };
    return publish(work, options, () => {});
  });
}
