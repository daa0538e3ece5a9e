import { readConfig } from '../src/config/config.ts';

/** Returns the names of all environment variables that the configuration reads in any mode. */
export function readVariables(): Set<string> {
  const names = new Set<string>();
  for (const mode of ['test', 'development'])
    readConfig(
      new Proxy<Record<string, string>>(
        { NODE_ENV: mode },
        { get: (values, name: string) => (names.add(name), values[name]) },
      ),
    );
  return names;
}
