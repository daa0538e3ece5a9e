/** Returns the host and port of a URL, or the text itself if it is not a URL. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
