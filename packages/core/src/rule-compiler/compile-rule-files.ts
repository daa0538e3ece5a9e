import type { Warning } from '@berth/contract';
import { compileRules, Fault, findBasicAuth, findRoleCondition, parseShipJson, type RuleFiles } from '@berth/serving';

/** The bytes of the rule files that a deployment has. */
export type RuleFileBytes = Partial<Record<'ship.json' | '_redirects' | '_headers', Uint8Array>>;

/** The number of warnings that a deploy lists. */
export const MAX_WARNINGS = 100;
/** The number of warnings that are kept: one more than a deploy lists. The others are counted. */
const MAX_RULE_WARNINGS = MAX_WARNINGS + 1;

/** The result of compiling rule files. */
export type CompileResult =
  | {
      kind: 'compiled';
      /** The `RuleData` of serving as JSON; `null` if the files have no effect on serving. */
      rules: string | null;
      /** The first warnings, at most {@link MAX_RULE_WARNINGS}. */
      warnings: Warning[];
      /** The number of all warnings. */
      warningCount: number;
    }
  /** A deploy with this file must not be published. */
  | { kind: 'refused'; file: string; message: string };

/**
 * Compiles the rule files of a deployment. Refuses a `ship.json` that is not a JSON object in UTF-8, is nested too deep or has a
 * `Basic-Auth` field, and a `_redirects` with a `Role=` condition. Takes up to some 100 ms for files that use all limits.
 *
 * @param paths The canonical paths of the files of the deployment. Source: api §3; serving S22, S23, S65.
 */
export function compileRuleFiles(
  { 'ship.json': ship, ...lines }: RuleFileBytes,
  paths: readonly string[],
): CompileResult {
  const files: RuleFiles = { ...lines };
  if (ship) {
    const json = parseShipJson(ship);
    if (json instanceof Fault) return { kind: 'refused', file: 'ship.json', message: json.message };
    const place = findBasicAuth(json);
    if (place !== null) return refuseProtection('ship.json', place, 'Basic-Auth');
    files['ship.json'] = json;
  }
  const line = files._redirects ? findRoleCondition(files._redirects) : null;
  if (line !== null) return refuseProtection('_redirects', `line ${line}`, 'a Role condition');

  const warnings: Warning[] = [];
  let warningCount = 0;
  const rules = compileRules(files, paths, (position, message) => {
    warningCount += 1;
    if (warningCount <= MAX_RULE_WARNINGS) warnings.push({ ...position, message });
  });
  return { kind: 'compiled', rules: rules && JSON.stringify(rules), warnings, warningCount };
}

function refuseProtection(file: string, place: string, protection: string): CompileResult {
  return { kind: 'refused', file, message: adviseProtection(place, protection) };
}

/** Says why a rule that protects a site elsewhere is refused: its owner must not publish the site without protection. */
export function adviseProtection(place: string, protection: string): string {
  return (
    `${place}: ${protection} has no effect here, so the site would be public. Remove it and deploy with a password instead ` +
    '("password", or --password on the command line).'
  );
}
