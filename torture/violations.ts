/** What must hold after every disturbance, by the name that a failed run prints. */
export const INVARIANTS = {
  'acknowledged-bytes': 'Every acknowledged deployment is served byte for byte.',
  'domain-order': 'Every domain shows the deployment of the last acknowledged change.',
  protected: 'A protected site shows nothing without its current password.',
  gone: 'Deleted, expired and taken-down sites are not served.',
  'one-deployment': 'A request publishes at most once, and a request that was cut or refused publishes nothing.',
  replays: 'A repeated deploy with its Idempotency-Key gets the same body.',
  counters: 'The counters of every account equal a recount.',
  caps: 'No account exceeds a cap of its plan.',
  claims: 'Of two accounts that claim a deployment, exactly one gets it.',
  activities: 'Every acknowledged change is in the audit log exactly once.',
  revoked: 'A revoked or expired credential is refused by every worker of every node.',
  available: 'While one node after the other restarts, no visit fails.',
  orphans: 'After a sweep, the files or objects, the rows of packs and the packs in use are the same.',
  doctor: 'The doctor finds no damage and no drift.',
  jobs: 'One node runs the periodic jobs, also after the one that ran them was killed.',
  resources: 'Descriptors and memory of every process are bounded, and no removed pack stays open.',
  recovery: 'The service works again in time and without intervention, with all its nodes and workers.',
  answers: 'Every response is the expected one, or 503 with Retry-After.',
} as const;

export type Invariant = keyof typeof INVARIANTS;

export interface Violation {
  invariant: Invariant;
  message: string;
}

const MAX_KEPT = 50;

/** The violations of one run. */
export class Violations {
  readonly found: Violation[] = [];
  /** The number of violations by invariant, including those that were not kept. */
  readonly counts = new Map<Invariant, number>();
  readonly #onFirst: (violation: Violation) => void;

  /** @param onFirst Called with the first violation of each invariant. */
  constructor(onFirst: (violation: Violation) => void = () => {}) {
    this.#onFirst = onFirst;
  }

  add(invariant: Invariant, message: string): void {
    if (!this.counts.has(invariant)) this.#onFirst({ invariant, message });
    this.counts.set(invariant, (this.counts.get(invariant) ?? 0) + 1);
    if (this.found.length < MAX_KEPT) this.found.push({ invariant, message });
  }

  /** Adds a violation unless the condition holds. @returns The condition. */
  require(holds: boolean, invariant: Invariant, message: () => string): boolean {
    if (!holds) this.add(invariant, message());
    return holds;
  }

  get any(): boolean {
    return this.counts.size > 0;
  }
}
