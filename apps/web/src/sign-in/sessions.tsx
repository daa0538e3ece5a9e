import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { BrowserSession } from '@berth/contract';
import { count, moment } from '@berth/client/amounts';
import { Button } from '@berth/ui/components/button';
import { Row, Section } from '@berth/ui/components/rows';
import { ProblemBox, Tag } from '@berth/ui/components/status';
import { valueOf } from '@berth/ui/state/query';
import { useNotes } from '@berth/ui/state/toasts';
import { answerOf } from '../account/answers.ts';
import { client } from '../backend.ts';
import { browserName } from './agent.ts';
import { useProven } from './prove.tsx';

const SESSIONS = ['sessions'];
const METHODS: Readonly<Record<string, string>> = {
  link: 'a link',
  invite: 'an invitation',
  passkey: 'a passkey',
  password: 'a password',
  code: 'a code by e-mail',
  oidc: 'single sign-on',
};

/** The browsers in which the person is signed in. */
export function Sessions() {
  const { data, error, refetch } = useQuery({
    queryKey: SESSIONS,
    queryFn: () => valueOf(answerOf(client.api.sessions.list.query())),
  });
  const { ask, showToast } = useNotes();
  const proven = useProven();
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: SESSIONS });
  const endOthers = async () => {
    const ended = await ask(proven(() => client.api.sessions.deleteOthers.mutate()));
    if (!ended) return;
    showToast(`Signed out of ${count(ended.value.deleted, 'other browser')}.`);
    await refresh();
  };
  const sessions = data?.sessions ?? [];
  return (
    <Section title="Signed in on">
      <ProblemBox problem={error} onRetry={() => void refetch()} />
      {sessions.map((session) => (
        <SessionRow key={session.session} session={session} onEnded={refresh} />
      ))}
      {sessions.length > 1 && (
        <Row
          name="Other browsers"
          hint="If you do not recognise one of them, sign out of all others and change your password."
          actions={<Button label="Sign out of all others" small onClick={() => void endOthers()} />}
        />
      )}
    </Section>
  );
}

function SessionRow({ session, onEnded }: { session: BrowserSession; onEnded: () => Promise<void> }) {
  const { ask } = useNotes();
  const { agent, address, method, seen, current } = session;
  const name = browserName(agent);
  const end = async () => {
    if (await ask(answerOf(client.api.sessions.delete.mutate({ session: session.session })))) await onEnded();
  };
  return (
    <Row
      name={name}
      hint={`With ${METHODS[method] ?? method}, from ${address}, last seen ${moment(seen)}`}
      actions={
        current ? (
          <Tag tone="good">This browser</Tag>
        ) : (
          <Button label="Sign out" small aria-label={`Sign out of ${name}`} onClick={() => void end()} />
        )
      }
    />
  );
}
