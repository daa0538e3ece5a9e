import type { WatchedFolder } from './folder.ts';
import type { Publishing } from './publishing.ts';

const MAX_LINKS = 5;

interface LatestLink {
  name: string;
  url: string;
  /** The time of publishing, in Unix milliseconds. */
  at: number;
}

interface LinkSources {
  publishings: readonly Pick<Publishing, 'name' | 'state'>[];
  folders: readonly Pick<WatchedFolder, 'name' | 'url' | 'live'>[];
}

/** Returns the 5 newest links that still work, newest first, each address once. @param now Unix milliseconds. */
export function latestLinks({ publishings, folders }: LinkSources, now: number): LatestLink[] {
  const links = [
    ...publishings.flatMap(({ name, state }) => {
      if (state.is !== 'published') return [];
      const { url, at, expires } = state.published;
      return expires !== null && expires * 1_000 <= now ? [] : [{ name, url, at }];
    }),
    ...folders.flatMap(({ name, url, live }) => (url !== null && live ? [{ name, url, at: live.at }] : [])),
  ].toSorted((a, b) => b.at - a.at);
  const byUrl = Map.groupBy(links, ({ url }) => url);
  return Array.from(byUrl.values(), ([newest]) => newest!).slice(0, MAX_LINKS);
}
