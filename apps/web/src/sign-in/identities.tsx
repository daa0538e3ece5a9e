import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Identity } from '@berth/contract';
import { moment } from '@berth/client/amounts';
import { Button } from '@berth/ui/components/button';
import { Row, Section } from '@berth/ui/components/rows';
import { ProblemBox } from '@berth/ui/components/status';
import { valueOf } from '@berth/ui/state/query';
import { useSubmit } from '@berth/ui/state/requests';
import { useNotes } from '@berth/ui/state/toasts';
import { useSearch } from 'wouter';
import { answerOf } from '../account/answers.ts';
import { client } from '../backend.ts';
import { type SignedIn, useSession } from '../state/session.tsx';
import { useProven } from './prove.tsx';

const IDENTITIES = 'identities';

/** The identities of the person at OpenID Connect providers. Shown if there is a provider, or an identity from earlier. */
export function Identities({ signedIn, provider }: { signedIn: SignedIn; provider: string | null }) {
  const { data, error, refetch } = useQuery({
    queryKey: [IDENTITIES, signedIn.person.id, signedIn.identities],
    queryFn: () => valueOf(answerOf(client.api.identities.list.query())),
    enabled: provider !== null || signedIn.identities > 0,
  });
  if (provider === null && signedIn.identities === 0) return null;
  return (
    <Section title="Single sign-on">
      <ProblemBox problem={error} onRetry={() => void refetch()} />
      {data?.identities.map((identity) => (
        <IdentityRow key={identity.identity} identity={identity} />
      ))}
      {provider !== null && (
        <div className="settings-pad">
          <AddIdentity provider={provider} />
        </div>
      )}
    </Section>
  );
}

function IdentityRow({ identity: { identity, provider, email, created, used } }: { identity: Identity }) {
  const { reload } = useSession();
  const { ask, showToast } = useNotes();
  const queries = useQueryClient();
  const proven = useProven();
  const name = email === null ? provider : `${provider}: ${email}`;
  const remove = async () => {
    if (!(await ask(proven(() => client.api.identities.delete.mutate({ identity }))))) return;
    showToast(`${name} no longer signs you in.`);
    await reload();
    await queries.invalidateQueries({ queryKey: [IDENTITIES] });
  };
  return (
    <Row
      name={name}
      hint={`Added ${moment(created)}, last used ${moment(used)}`}
      actions={<Button label="Remove" small aria-label={`Remove ${name}`} onClick={() => void remove()} />}
    />
  );
}

/** What went wrong at the provider, by the query parameter `problem`. */
const FAILURES: Readonly<Record<string, (provider: string) => string>> = {
  taken: (provider) =>
    `This ${provider} account already signs in another person here. Use another ${provider} account.`,
  refused: (provider) => `${provider} did not confirm who you are. Try again.`,
  unavailable: (provider) => `${provider} cannot be reached. Try again in a moment.`,
};

function AddIdentity({ provider }: { provider: string }) {
  const { isBusy, problem, submit } = useSubmit();
  const proven = useProven();
  const failure = new URLSearchParams(useSearch()).get('problem');
  const add = async () => {
    const begun = await submit(proven(() => client.api.identities.begin.mutate()));
    if (begun) location.assign(begun.value.url);
  };
  return (
    <div className="stack">
      {failure !== null && <p role="alert">{(FAILURES[failure] ?? FAILURES['refused']!)(provider)}</p>}
      <Button label={`Add an account at ${provider}`} busy={isBusy} onClick={() => void add()} />
      <ProblemBox problem={problem} />
    </div>
  );
}
