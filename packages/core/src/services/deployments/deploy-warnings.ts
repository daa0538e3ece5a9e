import { findCaseTwins, isDotFile, isWithheld, RULE_FILES, type Warning } from '@berth/contract';
import { compileRules, type RuleFiles } from '@berth/serving';
import type { Publication } from './publish.ts';

const MAX_WARNINGS = 100;

/** The warnings about an accepted deploy, as the answer lists them. */
interface DeployWarnings {
  add(warning: Warning): void;
  /** The first 100 warnings, and one that counts the rest. Source: serving S65. */
  list(): Warning[];
}

/** Collects warnings. Keeps only those that will be listed, and counts the rest. */
function collectWarnings(): DeployWarnings {
  const reported: Warning[] = [];
  let rest = 0;
  let firstOfRest = '';
  return {
    add(warning) {
      if (reported.length < MAX_WARNINGS) reported.push(warning);
      else {
        if (rest === 0) firstOfRest = warning.file;
        rest += 1;
      }
    },
    list: () =>
      rest === 0 ? reported : [...reported, { file: firstOfRest, message: `And ${rest} more warnings like these.` }],
  };
}

/**
 * Warns of files that are not served, and of names that collide on case-insensitive disks. Source: api §3; serving S12.
 */
function warnOfNames(paths: readonly string[], warnings: DeployWarnings): void {
  for (const file of paths)
    if (isWithheld(file) && !RULE_FILES.has(file))
      warnings.add({
        file,
        message: isDotFile(file)
          ? 'Stored, but dot files are not served (except under .well-known/).'
          : 'Stored, but not served: it is server code for another host.',
      });
  for (const { file, twin } of findCaseTwins(paths))
    warnings.add({
      file,
      message: `Differs from ${twin} only in case. Both are served, but many file systems can store only one.`,
    });
}

/** The rules from the rule files, and the warnings about them and the other files. Source: serving S12, S22, S23. */
export function compileDeployRules(
  ruleFiles: RuleFiles,
  published: Publication['files'],
): Pick<Publication, 'rules' | 'warnings'> {
  const paths = published.map(({ path }) => path);
  const warnings = collectWarnings();
  const rules = compileRules(ruleFiles, paths, (position, message) => warnings.add({ ...position, message }));
  warnOfNames(paths, warnings);
  return { rules, warnings: warnings.list() };
}
