/**
 * The path below which claim links lie, without a slash at its end.
 *
 * @returns `null` when `CLAIM_URL` is a page of another host, which is then not ours to answer. Source: contract §10.
 */
export function claimPathOf({ claimUrl, baseUrl }: { claimUrl: string; baseUrl: URL }): string | null {
  const { origin, pathname } = new URL(claimUrl);
  return origin === baseUrl.origin ? pathname.replace(/\/$/, '') : null;
}
