import { describe, expect, it } from 'vitest';
import { prepareHeaderRules } from '../../src/rules/header-rules.ts';
import { isReservedHeader, nameFault } from '../../src/rules/reserved-headers.ts';

const RESERVED = [
  'Set-Cookie Location Content-Length Content-Encoding Content-Range Accept-Ranges ETag Last-Modified Date Age Server Host',
  'Connection Keep-Alive TE Trailer Transfer-Encoding Upgrade Alt-Svc WWW-Authenticate Retry-After X-Request-Id',
  'X-Content-Type-Options X-Accel-Redirect X-Accel- X-Sendfile Service-Worker-Allowed Access-Control-Allow-Credentials',
  'X-Sendfile-Type X-Sendfile2 X-Send-File X-LIGHTTPD-send-file X-LIGHTTPD-send-tempfile X-Reproxy-URL X-REPROXY-FILE',
  'X-LiteSpeed-Location X-LiteSpeed-Cache-Control X-LSADC-Backend X-Envoy-Immediate-Health-Check-Fail Set-Cookie2 Status',
  'Basic-Auth',
  'Proxy-Authenticate Proxy-Connection Sec-WebSocket-Accept Sec-X RateLimit RateLimit-Policy RateLimit-Remaining',
].flatMap((names) => names.split(' '));

const ALLOWED = [
  'Content-Type Cache-Control Referrer-Policy Origin-Agent-Cluster Vary X-Robots-Tag Access-Control-Allow-Origin',
  'Content-Security-Policy Strict-Transport-Security Clear-Site-Data Link X-Frame-Options Cross-Origin-Opener-Policy',
  'CDN-Cache-Control Surrogate-Control Expires Pragma Cache-Tag X-Status-Page X-Accept Statuses',
  'X-Accelerated X-Envoyee Section Proxying X-RateLimit Dated',
].flatMap((names) => names.split(' '));

describe('the header (S35)', () => {
  it.each(RESERVED)('%s is reserved: it is refused in any letter case, and stored rules never change it', (name) => {
    const fields = [[name, 'default']] as const;
    for (const spelling of [name, name.toLowerCase(), name.toUpperCase()]) {
      expect([isReservedHeader(spelling), nameFault(spelling)?.message]).toEqual([
        true,
        expect.stringContaining(spelling),
      ]);
      const rules = prepareHeaderRules([
        { from: { texts: [''], star: { tail: '', mayBeEmpty: true } }, replaces: false, steps: [[spelling, 'x']] },
        { from: 'a', replaces: true, steps: [[spelling, 'x']] },
        { from: 'a', replaces: false, steps: [[spelling, null]] },
      ]);
      const answer = {
        kind: 'file',
        host: 'site.example',
        onPlatformDomain: false,
        anonymous: false,
        isProtected: false,
      } as const;
      expect(rules.apply('a', fields, answer)).toEqual(fields);
      expect(rules.apply('a', [], answer)).toEqual([]);
    }
  });

  it.each(ALLOWED)('%s is not reserved (S35)', (name) => {
    expect(nameFault(name)).toBeNull();
  });
});
