import '@berth/ui/styles/sidebar.css';
import './shell.css';
import { Suspense, useEffect, useRef, useState } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { ROUTES } from '../routes.ts';
import { useSession } from '../state/session.tsx';
import { InactiveAccount } from './inactive-account.tsx';
import { Navigation } from './navigation.tsx';
import { PageBoundary } from './page-boundary.tsx';
import { UpdateNote } from './update-note.tsx';

/** After how long a page that loads says so, in milliseconds. */
const SLOW_MS = 300;

/** The frame of every page of the console: the navigation, and the page of the address. */
export function Shell() {
  const [path] = useLocation();
  const { session } = useSession();
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    // A screen reader continues at the new page instead of the link, which may be gone.
    if (!isFirst.current) main.current!.focus({ preventScroll: true });
    isFirst.current = false;
    scrollTo(0, 0);
  }, [path]);
  return (
    <div className="shell">
      <a className="skip-link" href="#main">
        Skip to the page
      </a>
      <Navigation />
      <main id="main" ref={main} tabIndex={-1}>
        <UpdateNote />
        <PageBoundary key={path}>
          <Suspense fallback={<PageLoading />}>
            {session.is === 'inactive' ? (
              <InactiveAccount session={session} />
            ) : (
              <Switch>
                {ROUTES.map(({ path, title, page: Page }) => (
                  <Route key={path} path={path}>
                    <title>{title === 'Publish' ? 'Berth' : `${title} – Berth`}</title>
                    <Page />
                  </Route>
                ))}
                <Route>
                  <NotFound />
                </Route>
              </Switch>
            )}
          </Suspense>
        </PageBoundary>
      </main>
    </div>
  );
}

/** Says that the page loads, if it takes long enough to be noticed. */
function PageLoading() {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p className="page-loading" role="status">
      {isSlow && 'Loading…'}
    </p>
  );
}

function NotFound() {
  return (
    <div className="page-note">
      <title>Not found – Berth</title>
      <h1>There is no page at this address</h1>
      <p>
        Check the address, or go to <a href="/">the start page</a>.
      </p>
    </div>
  );
}
