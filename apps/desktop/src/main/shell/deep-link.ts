import { type EventData, PAGES } from '../../shared/contract.ts';

/** The scheme of links to the app. */
export const LINK_SCHEME = 'berth';

const MAX_LINK_LENGTH = 2_048;

/**
 * Parses a link to the app: `berth://show/<page>` shows a page, `berth://add-server?address=https://…` fills in the address of
 * a server. Links only show something and change nothing, because a stranger may have written the link.
 *
 * @returns What to show; `null` for any other link.
 *
 * Source: desktop §6.
 */
export function readDeepLink(link: string): EventData<'navigate'> | null {
  const url = link.length > MAX_LINK_LENGTH ? null : URL.parse(link);
  if (url?.protocol !== `${LINK_SCHEME}:` || url.username !== '' || url.password !== '' || url.port !== '') return null;
  if (url.hash !== '') return null;
  switch (url.hostname) {
    case 'show':
      return showPage(url);
    case 'add-server':
      return addServer(url);
    default:
      return null;
  }
}

/** True for a link to the app, valid or not. */
export const isDeepLink = (text: string) => /^berth:/i.test(text);

/** Some systems append a slash to links. */
const withoutSlash = (path: string) => path.replace(/\/$/, '');

function showPage({ pathname, search }: URL): EventData<'navigate'> | null {
  const page = PAGES.find((name) => `/${name}` === withoutSlash(pathname));
  return page === undefined || search !== '' ? null : { page };
}

function addServer({ pathname, searchParams }: URL): EventData<'navigate'> | null {
  const [[name, address] = [], ...others] = [...searchParams];
  if (withoutSlash(pathname) !== '' || name !== 'address' || address === undefined || others.length > 0) return null;
  const server = URL.parse(address);
  const isOrigin = server?.protocol === 'https:' && server.href === `${server.origin}/`;
  return isOrigin ? { page: 'settings', server: server.origin } : null;
}
