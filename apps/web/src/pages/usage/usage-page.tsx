import './usage-page.css';
import type { Account, Caps, PlanRow } from '@berth/contract';
import { bytes, count, moment } from '@berth/client/amounts';
import { Usage } from '@berth/ui/components/meter';
import { PageFrame } from '@berth/ui/components/page';
import { Row, Section } from '@berth/ui/components/rows';
import { ProblemBox, StatusLine, Tag } from '@berth/ui/components/status';
import { valueOf } from '@berth/ui/state/query';
import { useQuery } from '@tanstack/react-query';
import { useAccountQuery } from '../../account/account-provider.tsx';
import { answerOf } from '../../account/answers.ts';
import { client } from '../../backend.ts';

/** From this part of a cap on, the page says that the account will reach it. */
const NEAR = 0.8;

/** How much of its plan the account uses, the limits of one deploy, and the plans. */
export function UsagePage() {
  const account = useAccountQuery();
  const plans = useQuery({ queryKey: ['plans'], queryFn: () => valueOf(answerOf(client.api.plans.list.query())) });
  const limits = useQuery({
    queryKey: ['limits', account.data?.plan],
    queryFn: () => valueOf(answerOf(client.api.platform.limits.query())),
    enabled: account.data !== undefined,
  });
  const { data, error, isFetching, refetch } = account;
  const plan = plans.data?.plans.find((each) => each.plan === data?.plan);
  return (
    <PageFrame title="Usage">
      {data === undefined && isFetching && <p className="soft">Loading…</p>}
      <ProblemBox problem={data === undefined && !isFetching ? error : null} onRetry={() => refetch()} />
      {data !== undefined && (
        <>
          <Section title={`Your plan: ${plan?.name ?? data.plan}`}>
            <div className="settings-pad">
              <Usage />
              {data.scheduled && (
                <StatusLine tone="warn">{scheduledText(data.scheduled, plans.data?.plans ?? [])}</StatusLine>
              )}
              <UsageAdvice account={data} />
            </div>
          </Section>
          {limits.data && (
            <Section title="Limits of one deploy">
              <Row name="Files" hint={`At most ${count(limits.data.maxFilesCount, 'file')}`} />
              <Row name="Size of a file" hint={`At most ${bytes(limits.data.maxFileSize)}`} />
              <Row name="Size of a site" hint={`At most ${bytes(limits.data.maxTotalSize)}`} />
            </Section>
          )}
        </>
      )}
      {plans.data && plans.data.plans.length > 0 && <Plans plans={plans.data.plans} current={data?.plan} />}
    </PageFrame>
  );
}

const CAP_NAMES: Record<keyof Caps, string> = {
  deployments: 'deployments',
  platformDomains: 'platform domains',
  customDomains: 'custom domains',
  seats: 'members',
  storage: 'storage',
};

/** Says which caps are exceeded, reached or nearly reached, and what that means. */
function UsageAdvice({ account: { usage, caps } }: { account: Account }) {
  if (caps === null) return null;
  const names = (isMatch: (part: number) => boolean) =>
    (Object.keys(CAP_NAMES) as (keyof Caps)[])
      .filter((key) => {
        const cap = caps[key];
        // A plan that includes none of something, or one member, does not warn about it.
        if (cap === undefined || cap === 0 || (key === 'seats' && cap === 1)) return false;
        return isMatch((usage[key] ?? 0) / cap);
      })
      .map((key) => CAP_NAMES[key])
      .join(', ');
  const over = names((part) => part > 1);
  const full = names((part) => part === 1);
  const near = names((part) => part >= NEAR && part < 1);
  return (
    <>
      {over !== '' && (
        <StatusLine tone="bad">
          More than your plan includes: {over}. What you have stays, but you cannot add more.
        </StatusLine>
      )}
      {full !== '' && (
        <StatusLine tone="warn">Full: {full}. Delete some, or choose a larger plan, to add more.</StatusLine>
      )}
      {near !== '' && <StatusLine tone="warn">More than 80% used: {near}.</StatusLine>}
    </>
  );
}

/** Says when the plan changes. Nothing is deleted then, but custom domains beyond the new cap are paused. */
function scheduledText({ plan, due }: NonNullable<Account['scheduled']>, plans: readonly PlanRow[]): string {
  const next = plans.find((each) => each.plan === plan);
  return `Your plan changes to ${next?.name ?? plan} on ${moment(due)}. Nothing is deleted. Custom domains that it does not include are paused then.`;
}

function Plans({ plans, current }: { plans: readonly PlanRow[]; current: string | undefined }) {
  return (
    <section className="settings" aria-label="Plans">
      <h2>Plans</h2>
      <ul className="plans">
        {plans.map((plan) => (
          <li key={plan.plan} className={plan.plan === current ? 'plan is-current' : 'plan'}>
            <p className="plan-name">
              <span>{plan.name}</span>
              {plan.plan === current && <Tag tone="good">Your plan</Tag>}
            </p>
            <p className="plan-price">{priceText(plan.price)}</p>
            <ul className="small soft">
              {capLines(plan.caps).map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
            {plan.closed !== undefined && <p className="small soft">{plan.closed}</p>}
          </li>
        ))}
      </ul>
      <p className="small soft">To change your plan, write to the operator of this server.</p>
    </section>
  );
}

function priceText(price: PlanRow['price']): string {
  if (price === 'contact') return 'On request';
  if (price.month === 0 && price.year === 0) return dollars(0);
  return `${dollars(price.month)} a month, or ${dollars(price.year)} a year`;
}

const dollars = (cents: number) =>
  (cents / 100).toLocaleString('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: cents % 100 === 0 ? 0 : 2,
  });

function capLines(caps: Caps | null): string[] {
  if (caps === null) return ['As agreed with the operator'];
  return [
    count(caps.deployments, 'deployment'),
    count(caps.platformDomains, 'platform domain'),
    caps.customDomains === 0 ? 'No custom domains' : count(caps.customDomains, 'custom domain'),
    count(caps.seats, 'member'),
    ...(caps.storage === undefined ? [] : [`${bytes(caps.storage)} of storage`]),
  ];
}
