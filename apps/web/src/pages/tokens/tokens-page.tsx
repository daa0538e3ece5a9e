import './tokens-page.css';
import type { CreatedToken, Token } from '@berth/contract';
import { moment } from '@berth/client/amounts';
import { Button } from '@berth/ui/components/button';
import { Confirm } from '@berth/ui/components/dialog';
import { Chips } from '@berth/ui/components/field';
import { ListEnd } from '@berth/ui/components/list';
import { Empty, PageFrame } from '@berth/ui/components/page';
import { BoxList } from '@berth/ui/components/rows';
import { Moment, Tag } from '@berth/ui/components/status';
import { useNow } from '@berth/ui/state/clock';
import { pageOf } from '@berth/ui/state/lists';
import { usePagedList } from '@berth/ui/state/paged-list';
import { useNotes } from '@berth/ui/state/toasts';
import { remainingText } from '@berth/ui/text/time';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { answerOf } from '../../account/answers.ts';
import { client } from '../../backend.ts';
import { useProven } from '../../sign-in/prove.tsx';
import { MakeToken } from './make-token.tsx';
import { ShowSecret } from './show-secret.tsx';

/** A token that expires within this time is marked, in seconds. */
const SOON = 7 * 86_400;

/** The API keys and deploy tokens of the account. A new secret is shown once, and is in no cache. */
export function TokensPage() {
  const [isMaking, setMaking] = useState(false);
  const [created, setCreated] = useState<CreatedToken | null>(null);
  const list = usePagedList({
    name: ['tokens'],
    read: async (cursor) => pageOf(await answerOf(client.api.tokens.list.query({ cursor })), ({ tokens }) => tokens),
    keyOf: ({ token }: Token) => token,
  });
  const { items, hasMore, problem } = list;
  return (
    <PageFrame
      title="Tokens"
      actions={<Button label="New token…" variant="primary" icon={Plus} onClick={() => setMaking(true)} />}
    >
      <p className="soft">
        An API key has full access to your account. A deploy token can only publish, so it is the right one for CI.
      </p>
      {items.length === 0 && !hasMore && problem === null && (
        <Empty
          icon={KeyRound}
          title="No tokens yet"
          text="Create a token to publish from the command line, from CI, or with your own programs."
        />
      )}
      {items.length > 0 && (
        <BoxList label="Tokens">
          {items.map((token) => (
            <li key={token.token}>
              <TokenRow token={token} onRevoked={() => list.replace(token.token, null)} />
            </li>
          ))}
        </BoxList>
      )}
      <ListEnd list={list} />
      {isMaking && (
        <MakeToken
          onClose={() => setMaking(false)}
          onMade={(token) => {
            setMaking(false);
            setCreated(token);
            list.reload();
          }}
        />
      )}
      {created !== null && <ShowSecret token={created} onClose={() => setCreated(null)} />}
    </PageFrame>
  );
}

const KINDS: Partial<Record<string, string>> = { api: 'API key', deploy: 'Deploy token' };

function TokenRow({ token: each, onRevoked }: { token: Token; onRevoked: () => void }) {
  const { ask, showToast } = useNotes();
  const proven = useProven();
  const [isRevoking, setRevoking] = useState(false);
  const { token, kind, labels, created, expires, used, domains, keep } = each;
  const name = `${KINDS[kind] ?? kind} ${token}`;
  return (
    <div className="token">
      <div className="token-head">
        <div className="token-text">
          <p>
            <span className="name">{name}</span>
            <Chips labels={labels} />
            {expires !== null && <Expiry expires={expires} />}
          </p>
          <p className="small soft">
            {used === null ? (
              'Never used'
            ) : (
              <>
                Used <Moment at={used * 1_000} />
              </>
            )}
            {' · created '}
            <Moment at={created * 1_000} />
          </p>
          {domains !== undefined && (
            <p className="small soft">
              Publishes to {domains.join(', ')}
              {keep !== undefined && ` · keeps at least ${keep} versions`}
            </p>
          )}
        </div>
        {!isRevoking && (
          <Button label="Revoke…" small aria-label={`Revoke ${name}`} onClick={() => setRevoking(true)} />
        )}
      </div>
      {isRevoking && (
        <Confirm
          question={`Revoke ${name}? Programs that use it stop working at once. This cannot be undone.`}
          action="Revoke"
          onCancel={() => setRevoking(false)}
          onConfirm={async () => {
            const revoked = await ask(proven(() => client.api.tokens.delete.mutate({ token })));
            setRevoking(false);
            if (revoked === null) return;
            onRevoked();
            showToast(`${name} is revoked.`);
          }}
        />
      )}
    </div>
  );
}

function Expiry({ expires }: { expires: number }) {
  const seconds = expires - Math.floor(useNow(60_000) / 1_000);
  if (seconds <= 0) return <Tag tone="bad">Expired</Tag>;
  return (
    <Tag tone={seconds < SOON ? 'warn' : 'quiet'} title={`Expires ${moment(expires)}`}>
      Expires in {remainingText(seconds)}
    </Tag>
  );
}
