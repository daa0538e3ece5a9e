import './records.css';
import type { Domain, DomainCheck, DomainRecords, VerifiedDomain } from '@berth/contract';
import { moment } from '@berth/client/amounts';
import { useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/link.tsx';
import { ProblemBox, StatusLine } from '../../components/status.tsx';
import { useNow } from '../../state/clock.ts';
import { valueOf } from '../../state/query.ts';
import { useSubmit } from '../../state/requests.ts';
import { useAccount } from '../../state/account.ts';
import { useBackend } from '../../state/backend.ts';
import { untilText } from '../../text/time.ts';

type DnsRecord = DomainRecords['records'][number];

interface RecordsProps {
  domain: Domain;
  onChange: (domain: Domain) => void;
  /** True if the records are checked when they are first shown. */
  checkAtOnce?: boolean;
}

export function Records({ domain: { domain }, onChange, checkAtOnce = false }: RecordsProps) {
  const { api } = useBackend();
  const { accountKey } = useAccount();
  const {
    data: value,
    error,
    isFetching,
    refetch,
  } = useQuery({ queryKey: [accountKey, 'records', domain], queryFn: () => valueOf(api.readRecords({ domain })) });
  const problem = isFetching ? null : error;
  const request = useSubmit();
  const [result, setResult] = useState<{ checks: readonly DomainCheck[]; nextCheck: number | null } | null>(null);

  const show = ({ checks, nextCheck, ...changed }: VerifiedDomain) => {
    setResult({ checks, nextCheck });
    onChange(changed);
  };
  const check = async () => {
    const checkedDomain = await request.submit(api.verifyDomain({ domain }));
    if (checkedDomain !== null) show(checkedDomain.value);
  };
  useEffect(() => {
    if (!checkAtOnce) return;
    let isCurrent = true;
    // The user has not asked for this check, so its failure is not shown.
    void api.verifyDomain({ domain }).then((answer) => answer.ok && isCurrent && show(answer.value));
    return () => {
      isCurrent = false;
    };
  }, [api, domain, checkAtOnce]);
  return (
    <section className="domain-section" aria-label={`DNS records of ${domain}`}>
      <div className="domain-section-head">
        <h2>DNS records</h2>
        {value && <Button label="Check now" small icon={RefreshCw} busy={request.isBusy} onClick={check} />}
      </div>
      <ProblemBox
        problem={problem ?? request.problem}
        onRetry={problem !== null && problem.kind !== 'refused' && (() => refetch())}
      />
      {value === undefined && problem === null && <p className="soft">Loading…</p>}
      {value && <RecordTable records={value.records} checks={result?.checks ?? null} />}
      {typeof result?.nextCheck === 'number' && <NextCheck at={result.nextCheck} />}
    </section>
  );
}

function NextCheck({ at }: { at: number }) {
  return (
    <p className="small soft" title={moment(at)}>
      Next check {untilText(at * 1_000, useNow(1_000))}.
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
            <td data-label="Type">
              <div className="record-value">
                <code>{type}</code>
              </div>
            </td>
            <RecordValue label="Name" subject={`name ${name}`} text={name} />
            <RecordValue label="Value" subject={`value ${value}`} text={value} />
            {checks !== null && (
              <td data-label="Status">
                <CheckStatus check={checks.find((check) => check.type === type && check.name === name)} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function RecordValue({ label, text, subject }: { label: string; text: string; subject: string }) {
  return (
    <td data-label={label}>
      <div className="record-value">
        <code>{text}</code>
        <CopyButton text={text} subject={subject} />
      </div>
    </td>
  );
}

function CheckStatus({ check }: { check: DomainCheck | undefined }) {
  if (check === undefined) return <StatusLine tone="quiet">Not checked</StatusLine>;
  if (check.ok) return <StatusLine tone="good">OK</StatusLine>;
  const foundText = check.found.length > 0 ? `Found ${check.found.join(', ')}` : null;
  return (
    <>
      <StatusLine tone="bad">{check.reason ?? foundText ?? 'Not found yet'}</StatusLine>
      {check.reason !== undefined && foundText !== null && <p className="small soft record-found">{foundText}</p>}
    </>
  );
}
