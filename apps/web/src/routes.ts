import { Activity, CircleUser, Gauge, Globe, KeyRound, LayoutList, type LucideIcon, Send, Users } from 'lucide-react';
import { type ComponentType, lazy, type LazyExoticComponent } from 'react';

/** A page of the console. Its module is loaded when the page is opened. */
export interface ConsoleRoute {
  /** The pattern of the path, such as `/app/sites/:site`. */
  path: string;
  /** The title of the document. */
  title: string;
  page: LazyExoticComponent<ComponentType>;
}

/** A page that the navigation links to. */
export interface NavigationRoute extends ConsoleRoute {
  icon: LucideIcon;
}

type PageModule = () => Promise<{ default: ComponentType }>;

const route = (path: string, title: string, load: PageModule): ConsoleRoute => ({ path, title, page: lazy(load) });
const link = (path: string, title: string, icon: LucideIcon, load: PageModule): NavigationRoute => ({
  ...route(path, title, load),
  icon,
});

/** The pages of the navigation, in its order. A path below one of them belongs to it. */
export const NAVIGATION: readonly NavigationRoute[] = [
  link('/', 'Publish', Send, () => import('./pages/publish-page.tsx')),
  link('/app/sites', 'Sites', LayoutList, () => import('./pages/sites-page.tsx')),
  link('/app/domains', 'Domains', Globe, () => import('./pages/domains-page.tsx')),
  link('/app/activity', 'Activity', Activity, () => import('./pages/activity-page.tsx')),
  link('/app/tokens', 'Tokens', KeyRound, () => import('./pages/tokens-page.tsx')),
  link('/app/usage', 'Usage', Gauge, () => import('./pages/usage-page.tsx')),
  link('/app/members', 'Members', Users, () => import('./pages/members-page.tsx')),
  link('/app/account', 'Account', CircleUser, () => import('./pages/account-page.tsx')),
];

/** Every page. The first route whose path matches is shown. */
export const ROUTES: readonly ConsoleRoute[] = [
  ...NAVIGATION,
  route('/app/sites/:site', 'Site', () => import('./pages/site-page.tsx')),
  route('/app/domains/:domain', 'Domain', () => import('./pages/domain-page.tsx')),
  route('/app/sign-in', 'Sign in', () => import('./pages/sign-in-page.tsx')),
  route('/app/first', 'Sign in', () => import('./pages/first-link-page.tsx')),
  route('/app/keep', 'Set up sign-in', () => import('./pages/keep-page.tsx')),
  route('/app/invite', 'Join an account', () => import('./pages/invite-page.tsx')),
  route('/device', 'Approve a device', () => import('./pages/device-page.tsx')),
  route('/claim/:hash', 'Keep this site', () => import('./pages/claim-page.tsx')),
];
