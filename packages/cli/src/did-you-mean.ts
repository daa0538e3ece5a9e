import { Command, CommanderError } from 'commander';

/** Finds the name with the most similar spelling, as judged by the argument parser; `null` if none is similar. */
export function findSimilarName(word: string, names: readonly string[]): string | null {
  const parser = new Command().exitOverride().configureOutput({ writeErr() {} });
  for (const name of names) parser.command(name);
  try {
    parser.parse([word], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return /Did you mean (?:one of )?([a-z-]+)/.exec(error.message)?.[1] ?? null;
    throw error;
  }
  return null;
}
