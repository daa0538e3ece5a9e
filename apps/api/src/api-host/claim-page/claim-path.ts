/**
 * Returns the path prefix of claim links, without a trailing slash, or `null` if `CLAIM_URL` is a page on another host.
 * Source: api §10.
 */
export function claimPathOf({ claimUrl, baseUrl }: { claimUrl: string; baseUrl: URL }): string | null {
  const { origin, pathname } = new URL(claimUrl);
  return origin === baseUrl.origin ? pathname.replace(/\/$/, '') : null;
}
