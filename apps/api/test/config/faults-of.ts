import { readConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/environment-reader.ts';

/** Returns the faults of an environment, each as `VARIABLE: message`. */
export function faultsOf(env: Record<string, string>): string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
  return [];
}
