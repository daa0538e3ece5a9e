import type { BegunUpload, CreatedDeployment } from '@berth/contract';
import { abort, begin, bodyOf, commit, send } from '@berth/testing/delta';
import type { Files, HttpResponse, RequestOptions, TestClient } from '@berth/testing/requests';
import { listOf, sha256Of } from '@berth/testing/uploads';

/** One deploy that a client wants to make. */
export interface Order {
  /** A path that only this order publishes. */
  marker: string;
  files: Files;
  /** The `Idempotency-Key`; `null` sends none. */
  key: string | null;
  /** Whether the owner deploys; otherwise an anonymous client does. */
  owner: boolean;
  /** Whether checksums are wrong, or contents are sent that are not missing. The server must refuse the order. */
  broken: boolean;
  /** Whether the order is a delta upload instead of a form. */
  delta: boolean;
  /** Whether the order points {@link DOMAIN} at its deployment, and keeps {@link KEPT_VERSIONS}. It must have a key. */
  linked: boolean;
}

/** The domain that orders point at their deployments. */
export const DOMAIN = 'linked.localhost';
export const KEPT_VERSIONS = 3;
const TARGET = { domain: DOMAIN, keep: KEPT_VERSIONS };

/** What clients know. After a crash, the outcome of a request is unknown until it is sent again with its key. */
export interface History {
  orders: Order[];
  /** The deployment of each successful order, by the marker of the order. */
  deployments: Map<string, string>;
  /** The deployments for which a DELETE was sent, and whether a response arrived. */
  deleted: Map<string, 'sent' | 'answered'>;
  /** Descriptions of responses that must not occur. */
  faults: string[];
  acknowledged(): number;
  unavailable(): number;
  send(client: TestClient, order: Order): Promise<void>;
  remove(client: TestClient, deployment: string): Promise<void>;
  /** Requests the marker file of a published order. */
  read(client: TestClient, order: Order): Promise<void>;
  /** Sends every unanswered request again until a response arrives. */
  settle(client: TestClient): Promise<void>;
  /** Returns the orders whose deployments must exist. */
  live(): Order[];
  /** Returns the live orders without a domain. Only their deployments can be deleted, and no deploy deletes them. */
  unlinked(): Order[];
}

const MAX_ROUNDS = 20;

const optionsOf = ({ key, owner }: Order): RequestOptions => ({
  ...(owner ? {} : { key: null }),
  headers: key === null ? {} : { 'Idempotency-Key': key },
});

function sendForm(client: TestClient, order: Order): Promise<HttpResponse> {
  const { files, broken, linked } = order;
  const checksums = JSON.stringify(Object.values(files).map(() => '0'.repeat(32)));
  const target = linked ? { ...TARGET, keep: String(KEPT_VERSIONS) } : {};
  return client.deploy(files, { ...optionsOf(order), fields: { ...target, ...(broken && { checksums }) } });
}

/** Sends an order as a delta upload. @returns The response to the commit, or to the step that failed. */
async function sendDelta(client: TestClient, order: Order): Promise<HttpResponse> {
  const { files, broken, linked } = order;
  const options = optionsOf(order);
  const begunUpload = await begin(client, { files: listOf(files), ...(linked && TARGET) }, options);
  if (begunUpload.status !== 201) return begunUpload;
  const { upload, missing } = begunUpload.json<BegunUpload>();
  const contents = Object.values(files).filter((bytes) => missing.includes(sha256Of(bytes)));
  if (contents.length > 0 || broken) {
    const body = bodyOf([...new Set(contents), ...(broken ? ['not missing'] : [])]);
    const sendResponse = await send(client, upload, body, options);
    // A second request with the same key may have committed the upload in the meantime.
    if (![200, 422].includes(sendResponse.status)) {
      if ([400, 413].includes(sendResponse.status)) await abort(client, upload, options);
      return sendResponse;
    }
  }
  return commit(client, upload, options);
}

export function createHistory(): History {
  const orders: Order[] = [];
  const deployments = new Map<string, string>();
  const deleted = new Map<string, 'sent' | 'answered'>();
  const refusedOrders = new Set<string>();
  const faults: string[] = [];
  let acknowledged = 0;
  let unavailableCount = 0;

  /** Returns the response, or `null` for a 503 and if the server is not running or is killed too early. */
  async function receiveResponse(title: string, request: Promise<HttpResponse>): Promise<HttpResponse | null> {
    const response = await request.catch(() => null);
    if (response && response.status >= 500 && response.status !== 503)
      faults.push(`${title} returned ${response.status}: ${response.text}`);
    if (response?.status !== 503) return response;
    unavailableCount += 1;
    return null;
  }

  const isUnanswered = ({ marker, key }: Order) =>
    key !== null && !deployments.has(marker) && !refusedOrders.has(marker);
  const liveOrders = () =>
    orders.filter(({ marker }) => deployments.has(marker) && !deleted.has(deployments.get(marker)!));

  const history: History = {
    orders,
    deployments,
    deleted,
    faults,
    live: liveOrders,
    unlinked: () => liveOrders().filter(({ linked }) => !linked),
    acknowledged: () => acknowledged,
    unavailable: () => unavailableCount,
    async send(client, order) {
      if (!orders.includes(order)) orders.push(order);
      const { marker, broken } = order;
      const response = await receiveResponse(`Deploy ${marker}`, (order.delta ? sendDelta : sendForm)(client, order));
      if (!response) return;
      if (broken && [400, 413].includes(response.status)) refusedOrders.add(marker);
      else if (broken && response.status === 404) return; // Another request with this key was refused and aborted the upload.
      else if (!broken && response.status === 201) {
        acknowledged += 1;
        const { deployment, deleted: oldVersions = [] } = response.json<CreatedDeployment>();
        for (const oldVersion of oldVersions) deleted.set(oldVersion, 'answered');
        const lastDeployment = deployments.get(marker);
        if (lastDeployment !== undefined && lastDeployment !== deployment)
          faults.push(`Deploy ${marker} returned ${lastDeployment} and ${deployment}`);
        deployments.set(marker, deployment);
      } else if (order.delta && response.status === 429) return; // Too many uploads were open, so `settle` sends the order again.
      else faults.push(`Deploy ${marker} returned ${response.status}: ${response.text}`);
    },
    async remove(client, deployment) {
      if (!deleted.has(deployment)) deleted.set(deployment, 'sent');
      const response = await receiveResponse(
        `Delete ${deployment}`,
        client.api(`/deployments/${deployment}`, { method: 'DELETE' }),
      );
      if (response?.status === 202 || response?.status === 404) deleted.set(deployment, 'answered');
      else if (response) faults.push(`Delete ${deployment} returned ${response.status}: ${response.text}`);
    },
    async read(client, { marker, files }) {
      const deployment = deployments.get(marker)!;
      const response = await receiveResponse(`Visit ${deployment}`, client.visit(deployment, `/${marker}`));
      if (!response || deleted.has(deployment)) return;
      if (response.status !== 200) faults.push(`Visit ${deployment} returned ${response.status}`);
      else if (!response.bytes.equals(Buffer.from(files[marker]!)))
        faults.push(`${deployment} has other bytes at ${marker}`);
    },
    async settle(client) {
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const openOrders = orders.filter(isUnanswered);
        const unansweredDeletions = [...deleted]
          .filter(([, state]) => state === 'sent')
          .map(([deployment]) => deployment);
        if (openOrders.length + unansweredDeletions.length === 0) return;
        await Promise.all([
          ...openOrders.map((order) => history.send(client, order)),
          ...unansweredDeletions.map((id) => history.remove(client, id)),
        ]);
      }
      faults.push(`${orders.filter(isUnanswered).length} deploys still had no response after ${MAX_ROUNDS} rounds`);
    },
  };
  return history;
}
