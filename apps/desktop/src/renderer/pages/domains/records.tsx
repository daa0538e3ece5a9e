import type { Deployment, Domain, DomainCheck, DomainRecords } from '@berth/contract';
import { moment } from '@berth/client/amounts';
import { RefreshCw } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import type { Problem } from '../../../shared/problem.ts';
import { Button } from '../../components/button.tsx';
import { CopyIcon } from '../../components/copy-button.tsx';
import { StatusLine } from '../../components/status-line.tsx';
import { ProblemBox } from '../../components/problem.tsx';
import { useNow } from '../../state/clock.ts';
import { useShell } from '../../state/shell.ts';
import { until } from '../../text/time.ts';

type DnsRecord = DomainRecords['records'][number];

/** The DNS records that a domain needs, with a button to copy each value, and the result of the last check. */
export function Records({
  domain: { domain },
  deployments,
  onChange,
}: {
  domain: Domain;
  deployments: readonly Deployment[];
  onChange: (changed: Domain) => void;
}) {
  const isPlatform = deployments[0] !== undefined && isBelow(domain, deployments[0].url);
  const { records, result, problem, isBusy, read, check } = useRecords(domain, isPlatform, onChange);
  if (isPlatform) return <p className="soft">Platform domains need no DNS records.</p>;
  return (
    <section className="domain-section" aria-label={`DNS records of ${domain}`}>
      <div className="domain-section-head">
        <h2>DNS records</h2>
        {records !== null && (
          <Button small icon={RefreshCw} busy={isBusy} onClick={() => void check()}>
            Check now
          </Button>
        )}
      </div>
      {problem !== null && (
        <ProblemBox problem={problem}>
          {records === null && problem.kind !== 'refused' && (
            <Button small onClick={() => void read()}>
              Try again
            </Button>
          )}
        </ProblemBox>
      )}
      {records === null && problem === null && <p className="soft">Loading…</p>}
      {records !== null && <RecordTable records={records} checks={result?.checks ?? null} />}
      {typeof result?.nextCheck === 'number' && <NextCheck at={result.nextCheck} />}
    </section>
  );
}

/** Reads the records of a domain, unless it is a platform domain, and checks them on request. */
function useRecords(domain: string, isPlatform: boolean, onChange: (changed: Domain) => void) {
  const { commands } = useShell().desktop;
  const [records, setRecords] = useState<readonly DnsRecord[] | null>(null);
  const [result, setResult] = useState<{ checks: readonly DomainCheck[]; nextCheck: number | null } | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);

  const read = useCallback(async () => {
    setProblem(null);
    const answer = await commands.readRecords({ domain });
    if (answer.ok) setRecords(answer.value.records);
    else setProblem(answer.problem);
  }, [commands, domain]);
  useEffect(() => {
    if (!isPlatform) void read();
  }, [isPlatform, read]);

  const check = async () => {
    setBusy(true);
    setProblem(null);
    const answer = await commands.verifyDomain({ domain });
    setBusy(false);
    if (!answer.ok) return setProblem(answer.problem);
    const { checks, nextCheck, ...changed } = answer.value;
    setResult({ checks, nextCheck });
    onChange(changed);
  };
  return { records, result, problem, isBusy, read, check };
}

/** @param at Unix seconds. */
function NextCheck({ at }: { at: number }) {
  return (
    <p className="small soft" title={moment(at)}>
      Next check {until(at * 1_000, useNow(1_000))}.
    </p>
  );
}

function RecordTable({ records, checks }: { records: readonly DnsRecord[]; checks: readonly DomainCheck[] | null }) {
  return (
    <table className="records">
      <thead>
        <tr>
          <th scope="col">Type</th>
          <th scope="col">Name</th>
          <th scope="col">Value</th>
          {checks !== null && <th scope="col">Status</th>}
        </tr>
      </thead>
      <tbody>
        {records.map(({ type, name, value }) => (
          <tr key={`${type} ${name} ${value}`}>
            <td>
              <div className="record-value">
                <code>{type}</code>
              </div>
            </td>
            <Value what={`name ${name}`} text={name} />
            <Value what={`value ${value}`} text={value} />
            {checks !== null && (
              <td>
                <CheckStatus check={checks.find((check) => check.type === type && check.name === name)} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Value({ text, what }: { text: string; what: string }) {
  return (
    <td>
      <div className="record-value">
        <code>{text}</code>
        <CopyIcon text={text} what={what} />
      </div>
    </td>
  );
}

function CheckStatus({ check }: { check: DomainCheck | undefined }) {
  if (check === undefined) return <StatusLine tone="quiet">Not checked</StatusLine>;
  if (check.ok) return <StatusLine tone="good">OK</StatusLine>;
  const found = check.found.length > 0 ? `Found ${check.found.join(', ')}` : 'Not found yet';
  return <StatusLine tone="bad">{check.reason ?? found}</StatusLine>;
}

/** Whether a domain is a subdomain of the platform domain. @param url The URL of any deployment. */
function isBelow(domain: string, url: string): boolean {
  const { hostname } = new URL(url);
  return domain.endsWith(hostname.slice(hostname.indexOf('.')));
}
