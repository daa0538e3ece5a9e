import { readConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/environment-reader.ts';

/** An environment for production without faults. */
export const PRODUCTION = {
  NODE_ENV: 'production',
  BASE_URL: 'https://api.example.com',
  PLATFORM_DOMAIN: 'sites.example.net',
};

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
