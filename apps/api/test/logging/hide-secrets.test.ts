import { describe, expect, it } from 'vitest';
import { hideSecrets } from '../../src/logging/hide-secrets.ts';

const HEX = '8f1c6bd0a94e2735cc58f0471e9b3d62';

/** Every character as its percent-encoding. */
const percentEncoded = (text: string) =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');

describe('hideSecrets', () => {
  it.each([
    `ship-${HEX}`,
    `deploy-${HEX}`,
    `my_ship-${HEX}`,
    `SHIP-${HEX.toUpperCase()}`,
    `deploy-${HEX}deploy-${HEX}`,
    `/claim/${HEX}`,
    `https://console.example/c/${HEX}?next=1`,
    `?next=%2Fclaim%2F${HEX}&b`,
    `/tokens/%73hip-${HEX}`,
    `/tokens/ship%2D${HEX}`,
    `/tokens/deploy-${percentEncoded(HEX)}`,
    `/tokens/${percentEncoded(`ship-${HEX}`)}`,
    `/tokens/${percentEncoded(percentEncoded(`ship-${HEX}`))}`,
    `/cl%61im/${percentEncoded(HEX)}`,
    JSON.stringify({ claim: HEX }),
    JSON.stringify(`line\nship-${HEX}\tdeploy-${HEX}\n/claim/${HEX}\n`),
  ])('T20: leaves no secret in %s', (text) => {
    const hidden = hideSecrets(text);
    expect(hidden).not.toContain(HEX);
    expect(hidden.toLowerCase()).not.toContain(HEX);
    expect(decodeURIComponent(decodeURIComponent(hidden)).toLowerCase()).not.toContain(HEX);
    expect(hidden).toContain('[hidden]');
  });

  it.each([
    `/assets/${HEX}.js`,
    `/${HEX}-1/x`,
    HEX,
    `sha256/${HEX}${HEX}`,
    'ship-it',
    'deploy-8f1c',
    '/a%41%0d%25%zz%',
  ])('leaves %s as it is', (text) => {
    expect(hideSecrets(text)).toBe(text);
  });

  it('keeps JSON valid', () => {
    const text = JSON.stringify({ a: `x"\\ship-${HEX}"`, b: [`/claim/${HEX}`] });
    expect(JSON.parse(hideSecrets(text))).toEqual({ a: 'x"\\ship-[hidden]"', b: ['/claim/[hidden]'] });
  });
});
