import { QueryClientProvider, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Account } from '@berth/contract';
import { AccountContext, type AccountView } from '@berth/ui/state/account';
import { BackendContext, SitesApiContext } from '@berth/ui/state/backend';
import { keepFocus } from '@berth/ui/state/keep-focus';
import { type Navigation, NavigationContext, type Place } from '@berth/ui/state/navigation';
import { createQueryClient, valueOf } from '@berth/ui/state/query';
import { NotesContext, useToasts } from '@berth/ui/state/toasts';
import { Toasts } from '@berth/ui/components/toasts';
import type { Backend } from '@berth/ui/backend';
import { type ReactNode, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useLocation } from 'wouter';
import { client } from '../backend.ts';
import { type Session, useSession } from '../state/session.tsx';
import { createAccountApi, createSitesApi } from './account-api.ts';
import { answerOf } from './answers.ts';
import { createLiveActivities, type LiveActivities } from './live-activities.ts';

const accountApi = createAccountApi(client);
const sitesApi = createSitesApi(client);

/** Gives the shared pages what they need: the account, the server, toasts and navigation. */
export function AccountProvider({ children }: { children: ReactNode }) {
  const [queryClient] = useState(createQueryClient);
  return (
    <QueryClientProvider client={queryClient}>
      <Providers>{children}</Providers>
    </QueryClientProvider>
  );
}

function Providers({ children }: { children: ReactNode }) {
  const { session } = useSession();
  const { toasts, dismiss, notes } = useToasts();
  const account = useAccountQuery();
  const navigation = useNavigationOfConsole();
  const [liveActivities] = useState(() => createLiveActivities(client));
  const accountKey = accountKeyOf(session);
  useEffect(() => (accountKey === null ? undefined : liveActivities.follow(accountKey)), [accountKey, liveActivities]);
  useEffect(keepFocus, []);
  const isLive = useSyncExternalStore(liveActivities.onConnection, liveActivities.isConnected);
  const view = useMemo(() => viewOf(session, account.data, isLive), [session, account.data, isLive]);
  return (
    <BackendContext value={useConsoleBackend(liveActivities)}>
      <SitesApiContext value={sitesApi}>
        <AccountContext value={view}>
          <NotesContext value={notes}>
            <NavigationContext value={navigation}>
              {children}
              <Toasts toasts={toasts} dismiss={dismiss} />
            </NavigationContext>
          </NotesContext>
        </AccountContext>
      </SitesApiContext>
    </BackendContext>
  );
}

const ACCOUNT = 'account';

/** Reads the account of the session. */
export function useAccountQuery() {
  const { session } = useSession();
  const account = accountKeyOf(session);
  return useQuery({
    queryKey: [ACCOUNT, account],
    queryFn: () => valueOf(answerOf(client.api.account.get.query())),
    enabled: account !== null,
    refetchOnMount: false,
  });
}

function useConsoleBackend({ onActivity, onResume }: LiveActivities): Backend {
  const queries = useQueryClient();
  return useMemo(
    () => ({
      api: accountApi,
      onActivity,
      onResume,
      refreshAccount: () => void queries.invalidateQueries({ queryKey: [ACCOUNT] }),
      copy,
      openLink: null,
    }),
    [queries, onActivity, onResume],
  );
}

async function copy(text: string) {
  try {
    await navigator.clipboard.writeText(text);
    return { ok: true as const, value: undefined };
  } catch {
    const problem = {
      kind: 'unexpected' as const,
      message: 'The browser did not allow copying.',
      next: 'Select the text and copy it.',
      file: null,
    };
    return { ok: false as const, problem };
  }
}

function accountKeyOf(session: Session): string | null {
  return session.is === 'signed-in' ? session.signedIn.account : null;
}

function viewOf(session: Session, account: Account | undefined, isLive: boolean): AccountView {
  return {
    accountKey: accountKeyOf(session) ?? '',
    hasAccess: session.is === 'signed-in',
    credential: 'session',
    isRefused: session.is === 'signed-out' && session.ended !== null,
    isConnected: session.is === 'signed-in' && isLive,
    limits: account ?? null,
  };
}

function useNavigationOfConsole(): Navigation {
  const [, setLocation] = useLocation();
  return useMemo(
    () => ({ navigate: (place) => setLocation(hrefOf(place)), hrefOf, target: {}, pagesScroll: false, hasTabs: true }),
    [setLocation],
  );
}

function hrefOf(place: Place): string {
  if (typeof place === 'object')
    return 'site' in place
      ? `/app/sites/${encodeURIComponent(place.site)}`
      : `/app/domains/${encodeURIComponent(place.domain)}`;
  if (place === 'publish') return '/';
  if (place === 'sign-in') return `/app/sign-in?to=${encodeURIComponent(location.pathname)}`;
  return `/app/${place}`;
}
