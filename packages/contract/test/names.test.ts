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

describe('api §1: parseDeploymentReference', () => {
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
  ])('returns the deployment id for the reference %s with the platform domain %s', (reference, platformDomain) => {
    expect(parseDeploymentReference(reference, platformDomain)).toBe(ID);
  });

  it.each([
    ['no id', ['', 'otter', 'calm-otter', '__proto__', 'sites.example', '.sites.example']],
    ['an id of another length', ['calm-otter-4k9x2q', 'calm-otter-4k9x2qdd']],
    ['characters around the id', [`${ID}.`, `.${ID}`, ` ${ID}`, `${ID}\n`, `${ID}\u0000`, `../${ID}`, `${ID}' or 1=1`]],
    ['another domain', [`${ID}.other.example`, `${ID}.sites.example.evil`, `x.${ID}.sites.example`]],
    ['a domain that only ends with the platform domain', [`${ID}.xsites.example`, `${ID}sites.example`]],
    ['an invalid port', [`${ID}:4000`, `${ID}.sites.example:`, `${ID}.sites.example:123456`]],
    ['the form of a URL', [`https://${ID}.sites.example`, `${ID}.sites.example/`]],
  ])('refuses a reference with %s, such as each of %j', (_, references) => {
    for (const reference of references)
      expect(parseDeploymentReference(reference, 'sites.example'), reference).toBeNull();
  });

  it('accepts references of at most 300 characters', () => {
    expect(DeploymentReference.safeParse('a'.repeat(300)).success).toBe(true);
    expect(DeploymentReference.safeParse('a'.repeat(301)).success).toBe(false);
    expect(DeploymentReference.safeParse({ $ne: null }).success).toBe(false);
  });
});

describe('api §1: the pattern of an identifier or a credential', () => {
  const hex = '0123456789abcdef'.repeat(2);
  it.each([
    [DEPLOYMENT_ID, [ID], ['a-otter-4k9x2qd', `${ID}\n`]],
    [CREDENTIAL, [`ship-${hex}`, `deploy-${hex}`], [`SHIP-${hex}`, `token-${hex}`, `ship-${hex.toUpperCase()}`]],
    [CREDENTIAL, [], [`ship-${hex}0`, `ship-${hex.slice(1)}`, `ship-${hex}\n`]],
    [CLAIM_HASH, [hex], [hex.toUpperCase(), `${hex} `]],
    [TOKEN_ID, ['a1b2c3d'], ['a1b2c3', 'A1b2c3d']],
  ])('%s matches each of %j and none of %j', (pattern, matching, others) => {
    for (const text of matching) expect(text).toMatch(pattern);
    for (const text of others) expect(text).not.toMatch(pattern);
  });
});
