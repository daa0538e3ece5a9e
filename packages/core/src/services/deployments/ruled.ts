import { compileRules, type RuleFiles } from '@berth/serving';
import { collectWarnings, warnOfNames } from './deploy-warnings.ts';
import type { Publication } from './publish.ts';

/** The rules from the rule files, and the warnings about them and the other files. Source: serving S12, S22, S23. */
export function ruled(ruleFiles: RuleFiles, published: Publication['files']): Pick<Publication, 'rules' | 'warnings'> {
  const paths = published.map(({ path }) => path);
  const warnings = collectWarnings();
  const rules = compileRules(ruleFiles, paths, (position, message) => warnings.add({ ...position, message }));
  warnOfNames(paths, warnings);
  return { rules, warnings: warnings.list() };
}
