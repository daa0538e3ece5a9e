import { findCaseTwins, isDotFile, isWithheld, RULE_FILES, type Warning } from '@berth/contract';

const MAX_WARNINGS = 100;

/** The warnings about an accepted deploy, as the answer lists them. */
export interface DeployWarnings {
  add(warning: Warning): void;
  /** The first 100 warnings, and one that counts the rest. Source: serving S65. */
  list(): Warning[];
}

/** Collects warnings. Keeps only those that will be listed, and counts the rest. */
export function collectWarnings(): DeployWarnings {
  const kept: Warning[] = [];
  let rest = 0;
  let firstOfRest = '';
  return {
    add(warning) {
      if (kept.length < MAX_WARNINGS) kept.push(warning);
      else {
        if (rest === 0) firstOfRest = warning.file;
        rest += 1;
      }
    },
    list: () =>
      rest === 0 ? kept : [...kept, { file: firstOfRest, message: `And ${rest} more warnings like these.` }],
  };
}

/**
 * Warns of files that are not served, and of names that collide on case-insensitive disks. Source: contract §3;
 * serving S12.
 */
export function warnOfNames(paths: readonly string[], warnings: DeployWarnings): void {
  for (const file of paths)
    if (isWithheld(file) && !RULE_FILES.has(file))
      warnings.add({
        file,
        message: isDotFile(file)
          ? 'Stored, but dot files are not served (except under .well-known/).'
          : 'Stored, but not served: it is server code of another host.',
      });
  for (const { file, twin } of findCaseTwins(paths))
    warnings.add({
      file,
      message: `Differs from ${twin} by case alone: both are served, but many disks hold only one.`,
    });
}
