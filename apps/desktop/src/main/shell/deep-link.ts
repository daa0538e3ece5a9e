import { type EventData, PAGES } from '../../shared/contract.ts';

/** The scheme of links to the app. */
export const LINK_SCHEME = 'berth';

const MAX_LINK_LENGTH = 2_048;

/**
 * Parses a link to the app: `berth://show/<page>` shows a page, `berth://add-server?address=https://…` fills in the address of
 * a server. A link changes nothing, because a stranger may have written it.
 *
 * @returns The page to show; `null` for an invalid link. Source: desktop §6.
 */
export function readDeepLink(link: string): EventData<'navigate'> | null {
  const url = link.length > MAX_LINK_LENGTH ? null : URL.parse(link);
  if (url?.protocol !== `${LINK_SCHEME}:` || url.username !== '' || url.password !== '' || url.port !== '') return null;
  if (url.hash !== '') return null;
  if (url.hostname === 'show') return showPage(url);
  return url.hostname === 'add-server' ? addServer(url) : null;
}

/** True for any link with the scheme of the app, even if the link is invalid. */
export const isDeepLink = (text: string) => /^berth:/i.test(text);

/** Removes the slash that some systems append to links. */
const withoutSlash = (path: string) => path.replace(/\/$/, '');

function showPage({ pathname, search }: URL): EventData<'navigate'> | null {
  const page = PAGES.find((name) => `/${name}` === withoutSlash(pathname));
  return page === undefined || search !== '' ? null : { page };
}

function addServer({ pathname, searchParams }: URL): EventData<'navigate'> | null {
  const [[name, address] = [], ...extraParams] = [...searchParams];
  if (withoutSlash(pathname) !== '' || name !== 'address' || address === undefined || extraParams.length > 0)
    return null;
  const server = URL.parse(address);
  const isOrigin = server?.protocol === 'https:' && server.href === `${server.origin}/`;
  return isOrigin ? { page: 'settings', server: server.origin } : null;
}
