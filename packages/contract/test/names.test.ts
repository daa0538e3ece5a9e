import { describe, expect, it } from 'vitest';
import {
  CLAIM_HASH,
  CREDENTIAL,
  DEPLOYMENT_ID,
  DeploymentReference,
  parseDeploymentReference,
  TOKEN_ID,
} from '../src/names.ts';

const ID = 'calm-otter-4k9x2qd';

describe('api §1: references to a deployment', () => {
  it.each([
    [ID, 'sites.example'],
    ['CALM-Otter-4K9X2QD', 'sites.example'],
    [`${ID}.sites.example`, 'sites.example'],
    [`${ID}.SITES.example`, 'Sites.Example'],
    [`${ID}.sites.example:8443`, 'sites.example'],
    [`${ID}.sites.example`, 'sites.example:8443'],
    [`${ID}.localhost:4000`, 'localhost:4000'],
    [`${ID}.localhost`, 'localhost:4000'],
    [`${ID.toUpperCase()}.LOCALHOST:4000`, 'localhost:4000'],
  ])('reads %s under %s as the id of the deployment', (reference, platformDomain) => {
    expect(parseDeploymentReference(reference, platformDomain)).toBe(ID);
  });

  it.each([
    [''],
    ['otter'],
    ['calm-otter'],
    ['calm-otter-4k9x2q'],
    ['calm-otter-4k9x2qdd'],
    [`${ID}.`],
    [`.${ID}`],
    [`${ID}.other.example`],
    [`${ID}.sites.example.evil`],
    [`x.${ID}.sites.example`],
    [`${ID}.xsites.example`],
    [`${ID}sites.example`],
    [`${ID}:4000`],
    [`https://${ID}.sites.example`],
    [`${ID}.sites.example/`],
    [`${ID}.sites.example:`],
    [`${ID}.sites.example:123456`],
    [` ${ID}`],
    [`${ID}\n`],
    [`${ID}\u0000`],
    ['../calm-otter-4k9x2qd'],
    ['sites.example'],
    ['.sites.example'],
    ['__proto__'],
    [`${ID}' or 1=1`],
  ])('refuses %j', (reference) => {
    expect(parseDeploymentReference(reference, 'sites.example')).toBeNull();
  });

  it('limits the length of a reference before it is parsed', () => {
    expect(DeploymentReference.safeParse('a'.repeat(300)).success).toBe(true);
    expect(DeploymentReference.safeParse('a'.repeat(301)).success).toBe(false);
    expect(DeploymentReference.safeParse({ $ne: null }).success).toBe(false);
  });
});

describe('api §1: identifiers and credentials', () => {
  const hex = '0123456789abcdef'.repeat(2);
  it.each([
    [DEPLOYMENT_ID, ID, true],
    [DEPLOYMENT_ID, 'a-otter-4k9x2qd', false],
    [DEPLOYMENT_ID, `${ID}\n`, false],
    [CREDENTIAL, `ship-${hex}`, true],
    [CREDENTIAL, `deploy-${hex}`, true],
    [CREDENTIAL, `ship-${hex.toUpperCase()}`, false],
    [CREDENTIAL, `SHIP-${hex}`, false],
    [CREDENTIAL, `token-${hex}`, false],
    [CREDENTIAL, `ship-${hex}0`, false],
    [CREDENTIAL, `ship-${hex.slice(1)}`, false],
    [CREDENTIAL, `ship-${hex}\n`, false],
    [CLAIM_HASH, hex, true],
    [CLAIM_HASH, hex.toUpperCase(), false],
    [CLAIM_HASH, `${hex} `, false],
    [TOKEN_ID, 'a1b2c3d', true],
    [TOKEN_ID, 'a1b2c3', false],
    [TOKEN_ID, 'A1b2c3d', false],
  ])('%s on %j: %s', (pattern, text, matches) => {
    expect(pattern.test(text)).toBe(matches);
  });
});
