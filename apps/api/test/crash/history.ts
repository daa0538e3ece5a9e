import type { BegunUpload, CreatedDeployment } from '@berth/contract';
import { abort, begin, bodyOf, commit, send } from '@berth/testing/delta';
import type { Answer, Ask, askerOf, Files } from '@berth/testing/requests';
import { listOf, sha256Of } from '@berth/testing/uploads';

/** One deploy that a client wants. */
export interface Order {
  /** A path that no other order has. */
  marker: string;
  files: Files;
  /** The `Idempotency-Key`; `null` sends none. */
  key: string | null;
  /** Whether the owner deploys, or an anonymous client. */
  owner: boolean;
  /** Sends wrong checksums or contents that were not requested: the order is refused once everything has arrived. */
  broken: boolean;
  /** Sends only what is missing, in a delta upload, instead of one form. */
  delta: boolean;
}

/**
 * What clients know: every order they sent and its answer. When a crash swallows an answer, the outcome is unknown
 * until the request is sent again with the same key.
 */
export interface History {
  orders: Order[];
  /** The deployment in the answer to an order, by its marker. */
  deployments: Map<string, string>;
  /** Deployments whose DELETE was sent, and whether it was answered. */
  deleted: Map<string, 'sent' | 'answered'>;
  /** Descriptions of answers that must not occur. */
  faults: string[];
  /** How many successful answers to deploys clients received. */
  acknowledged(): number;
  /** How many times clients got a 503. */
  unavailable(): number;
  send(asker: Asker, order: Order): Promise<void>;
  remove(asker: Asker, deployment: string): Promise<void>;
  /** Reads one file of a published order. */
  read(asker: Asker, order: Order): Promise<void>;
  /** Sends every unanswered request again until it is answered. */
  settle(asker: Asker): Promise<void>;
  /** Orders whose deployments must exist. */
  live(): Order[];
}

type Asker = ReturnType<typeof askerOf>;

const ROUNDS = 20;

const headersOf = ({ key, owner }: Order): Ask => ({
  ...(owner ? {} : { key: null }),
  headers: key === null ? {} : { 'Idempotency-Key': key },
});

function sendForm(asker: Asker, order: Order): Promise<Answer> {
  const { files, broken } = order;
  const checksums = JSON.stringify(Object.values(files).map(() => '0'.repeat(32)));
  return asker.deploy(files, { ...headersOf(order), fields: broken ? { checksums } : {} });
}

/** @returns The answer of the commit, or of the step that failed. */
async function sendDelta(asker: Asker, order: Order): Promise<Answer> {
  const { files, broken } = order;
  const ask = headersOf(order);
  const begun = await begin(asker, { files: listOf(files) }, ask);
  if (begun.status !== 201) return begun;
  const { upload, missing } = begun.json<BegunUpload>();
  const contents = Object.values(files).filter((bytes) => missing.includes(sha256Of(bytes)));
  if (contents.length > 0 || broken) {
    const body = bodyOf([...new Set(contents), ...(broken ? ['not asked for'] : [])]);
    const sent = await send(asker, upload, body, ask);
    // A duplicate request with the same key may have committed meanwhile.
    if (![200, 422].includes(sent.status)) {
      if ([400, 413].includes(sent.status)) await abort(asker, upload, ask);
      return sent;
    }
  }
  return commit(asker, upload, ask);
}

export function createHistory(): History {
  const orders: Order[] = [];
  const deployments = new Map<string, string>();
  const deleted = new Map<string, 'sent' | 'answered'>();
  const refused = new Set<string>();
  const faults: string[] = [];
  let acknowledged = 0;
  let unavailable = 0;

  /** The answer to a request; `null` when the server was not running, or was killed before it answered. */
  async function answerOf(what: string, ask: Promise<Answer>): Promise<Answer | null> {
    const answer = await ask.catch(() => null);
    if (answer && answer.status >= 500 && answer.status !== 503)
      faults.push(`${what} was answered ${answer.status}: ${answer.text}`);
    if (answer?.status !== 503) return answer;
    unavailable += 1;
    return null;
  }

  const isOpen = ({ marker, key }: Order) => key !== null && !deployments.has(marker) && !refused.has(marker);
  const live = () => orders.filter(({ marker }) => deployments.has(marker) && !deleted.has(deployments.get(marker)!));

  const history: History = {
    orders,
    deployments,
    deleted,
    faults,
    live,
    acknowledged: () => acknowledged,
    unavailable: () => unavailable,
    async send(asker, order) {
      if (!orders.includes(order)) orders.push(order);
      const { marker, broken } = order;
      const answer = await answerOf(`Deploy ${marker}`, order.delta ? sendDelta(asker, order) : sendForm(asker, order));
      if (!answer) return;
      if (broken && [400, 413].includes(answer.status)) refused.add(marker);
      else if (broken && answer.status === 404) return; // A twin was refused meanwhile and aborted the upload of this key.
      else if (!broken && answer.status === 201) {
        acknowledged += 1;
        const { deployment } = answer.json<CreatedDeployment>();
        const before = deployments.get(marker);
        if (before !== undefined && before !== deployment)
          faults.push(`Deploy ${marker} was answered with ${before} and with ${deployment}`);
        deployments.set(marker, deployment);
      } else if (order.delta && answer.status === 429) return; // Too many uploads were open: it is sent again later.
      else faults.push(`Deploy ${marker} was answered ${answer.status}: ${answer.text}`);
    },
    async remove(asker, deployment) {
      if (!deleted.has(deployment)) deleted.set(deployment, 'sent');
      const answer = await answerOf(
        `Delete ${deployment}`,
        asker.api(`/deployments/${deployment}`, { method: 'DELETE' }),
      );
      if (answer?.status === 202 || answer?.status === 404) deleted.set(deployment, 'answered');
      else if (answer) faults.push(`Delete ${deployment} was answered ${answer.status}: ${answer.text}`);
    },
    async read(asker, { marker, files }) {
      const deployment = deployments.get(marker)!;
      const answer = await answerOf(`Visit ${deployment}`, asker.visit(deployment, `/${marker}`));
      if (!answer || deleted.has(deployment)) return;
      if (answer.status !== 200) faults.push(`Visit ${deployment} was answered ${answer.status}`);
      else if (!answer.bytes.equals(Buffer.from(files[marker]!)))
        faults.push(`${deployment} has other bytes at ${marker}`);
    },
    async settle(asker) {
      for (let round = 0; round < ROUNDS; round += 1) {
        const open = orders.filter(isOpen);
        const unanswered = [...deleted].filter(([, state]) => state === 'sent').map(([deployment]) => deployment);
        if (open.length + unanswered.length === 0) return;
        await Promise.all([
          ...open.map((order) => history.send(asker, order)),
          ...unanswered.map((id) => history.remove(asker, id)),
        ]);
      }
      faults.push(`${orders.filter(isOpen).length} deploys were still not answered after ${ROUNDS} rounds`);
    },
  };
  return history;
}
