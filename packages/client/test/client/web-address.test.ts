import { expect, it } from 'vitest';
import { parseWebAddress } from '../../src/client.ts';

it('parseWebAddress accepts only http and https without a user name or password', () => {
  for (const text of ['http://a', 'https://a.example:8443/b?c#d', 'HTTPS://A.example'])
    expect(parseWebAddress(text)?.href).toBe(new URL(text).href);
  for (const text of ['ftp://a', 'https://a@b', 'https://:b@c', 'a.example', 'data:text/html,x', 'http:'])
    expect(parseWebAddress(text)).toBeNull();
});
