import '../sign-in/sign-in.css';
import { bytes, count } from '@berth/client/amounts';
import type { ClaimedSite } from '@berth/contract';
import { Button } from '@berth/ui/components/button';
import { Link as SiteLink } from '@berth/ui/components/link';
import { ProblemBox } from '@berth/ui/components/status';
import { Select } from '@berth/ui/components/select';
import { useNow } from '@berth/ui/state/clock';
import { useAnswer, useSubmit } from '@berth/ui/state/requests';
import { remainingText } from '@berth/ui/text/time';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { answerOf } from '../account/answers.ts';
import { accountName, useAccounts } from '../account/accounts.ts';
import { client } from '../backend.ts';
import { SessionNote, SignInLink } from '../shell/account-gate.tsx';
import { opensAccounts, useSession } from '../state/session.tsx';

/** Shows the site of a claim link, and lets a person keep it with one click. Opening the page claims nothing. */
export default function ClaimPage() {
  const { hash } = useParams<{ hash: string }>();
  const { session } = useSession();
  // A site that this account has claimed is found only with a session of that account.
  const person = session.is === 'signed-in' ? `${session.signedIn.session} ${session.signedIn.account}` : session.is;
  const site = useAnswer(() => answerOf(client.api.account.claimed.mutate({ claim: hash })), [hash, person]);
  const isGone = site.problem?.kind === 'refused';
  return (
    <div className="page-note">
      <h1>{isGone ? 'There is nothing to keep here' : 'Keep this site'}</h1>
      {isGone && (
        <p>
          The link may be incomplete, the site may have expired, or another account keeps it already. If you got the
          link from someone, ask them to publish the site again.
        </p>
      )}
      {!isGone && <ProblemBox problem={site.problem} onRetry={site.read} />}
      {site.value && !site.problem && <Claim key={person} hash={hash} site={site.value} />}
    </div>
  );
}

function Claim({ hash, site }: { hash: string; site: ClaimedSite }) {
  const [isKept, setKept] = useState(site.expires === null);
  const { session } = useSession();
  return (
    <>
      <SiteFacts site={site} isKept={isKept} />
      {isKept && <Kept site={site} />}
      {!isKept && session.is === 'signed-in' && <Keep hash={hash} email={session.email} onKept={() => setKept(true)} />}
      {!isKept && session.is === 'signed-out' && <SignInToKeep canOpen={opensAccounts(session.offer)} />}
      <SessionNote />
    </>
  );
}

function SiteFacts({ site, isKept }: { site: ClaimedSite; isKept: boolean }) {
  const now = useNow();
  const { title, url, files, size, password, expires } = site;
  const left = expires === null ? 0 : expires - Math.floor(now / 1000);
  return (
    <div className="facts">
      <p className="name">{title ?? new URL(url).host}</p>
      <p>
        <SiteLink url={url} />
      </p>
      <p className="soft">
        {count(files, 'file')}, {bytes(size)}
        {password ? ', with a password' : ''}
      </p>
      {!isKept && (
        <p className="soft">{left > 0 ? `It is removed in ${remainingText(left)}.` : 'It is being removed.'}</p>
      )}
    </div>
  );
}

function Keep({ hash, email, onKept }: { hash: string; email: string; onKept: () => void }) {
  const { isBusy, problem, submit } = useSubmit();
  const { accounts, account, choose } = useAccounts();
  const options = accounts.map((each) => [each.account, accountName(each)] as const);
  const keep = async () => {
    if (await submit(answerOf(client.api.account.claim.mutate({ claim: hash })))) onKept();
  };
  return (
    <>
      {options.length > 1 ? (
        <>
          <p>Keep it in one of your accounts, and it no longer expires. Its address stays the same.</p>
          <Select label="Account" value={account} options={options} onChange={(chosen) => void choose(chosen)} />
        </>
      ) : (
        <p>Keep it in the account of {email}, and it no longer expires. Its address stays the same.</p>
      )}
      <Button label="Keep this site" variant="primary" busy={isBusy} onClick={() => void keep()} />
      <ProblemBox problem={problem} />
      {problem?.kind === 'signed-out' && (
        <p className="soft small">
          You can still keep it later, until it expires. See <Link href="/app/usage">what your plan includes</Link>.
        </p>
      )}
    </>
  );
}

function Kept({ site }: { site: ClaimedSite }) {
  return (
    <>
      <p role="status">The site is yours. It no longer expires, and no one else can claim it.</p>
      <Link href={`/app/sites/${site.deployment}`} className="button primary">
        Show the site
      </Link>
    </>
  );
}

function SignInToKeep({ canOpen }: { canOpen: boolean }) {
  return (
    <>
      <p>
        The site was published without an account. Sign in, and keep it with one click.{' '}
        {canOpen
          ? 'No account yet? You can open one on the next page.'
          : 'No account yet? Ask the operator of this server for one, or the owner of an account for an invitation.'}
      </p>
      <SignInLink label="Sign in to keep it" />
      <p className="soft small">
        You can also use an <a href="?form">API key</a>.
      </p>
    </>
  );
}
