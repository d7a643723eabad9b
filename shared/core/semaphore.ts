/**
 * A fair semaphore for what the organizations of one process share: bounded, served round robin, and never held by one
 * organization alone.
 *
 * An organization may hold at most three quarters of what the others do not hold, and always at least one free slot. So an
 * organization with a backlog leaves a quarter free, even while it is alone: the next organization starts at once instead
 * of waiting for another's work. A single slot goes round robin.
 */

/**
 * Every resource that the organizations of one process compete for; each has a semaphore of that name. OCR runs in the
 * document threads and so uses their slots.
 */
export const SHARED_RESOURCES = [
  'workerSlots',
  'documentThreads',
  'chatMemory',
  'downloads',
  'sourceRequests',
  'pageRequests',
  'searchRequests',
  'gatherings',
  'researchMemory',
  'modelCalls',
  'webhookSenders',
  'passwordHashing',
] as const;
type SharedResource = (typeof SHARED_RESOURCES)[number];

export type SlotRequest = {
  organization: string;
  /** Aborts the wait with its reason. A granted slot is kept until it is released. */
  signal?: AbortSignal | undefined;
  /** Default 1. Limited to the most that an organization may ever hold. */
  weight?: number;
};

export type Slot = {
  /** Corrects the weight once it is known. A higher weight counts at once, without waiting. */
  resize(weight: number): void;
  /** A second call does nothing. */
  release(): void;
};

export type Semaphore = {
  /** `undefined`: the caller would have to wait. */
  tryAcquire(request: SlotRequest): Slot | undefined;
  acquire(request: SlotRequest): Promise<Slot>;
  /** Holds a slot while the work runs. */
  run<T>(request: SlotRequest, work: () => Promise<T>): Promise<T>;
};

type SemaphoreOptions = {
  capacity: number;
  /** Replaces the share above, for resources of a single organization, such as the requests of one task. */
  maxEach?: number;
  /** The name of a shared resource. */
  name?: SharedResource;
};

const SHARE = 0.75;

/** The capacity at which one organization may hold `max` slots. */
export const capacityFor = (max: number): number => (max <= 1 ? 1 : Math.ceil(max / SHARE));

const named = new Map<SharedResource, Semaphore>();
/** The newest semaphore of each name in this process. */
export const namedSemaphores = (): ReadonlyMap<SharedResource, Semaphore> => named;

export function semaphore({ name, ...bounds }: SemaphoreOptions): Semaphore {
  const holdings = holdingsWithin(bounds);
  const line = waitingLine(holdings);

  function serve(): void {
    for (let next = line.takeNext(); next; next = line.takeNext()) next.grant(slotFor(next));
  }

  const wantedBy = ({ organization, weight = 1 }: SlotRequest): Wanted => ({
    organization,
    weight: holdings.clamped(weight),
  });

  function slotFor({ organization, weight }: Wanted): Slot {
    let own = weight;
    let isHeld = true;
    holdings.add(organization, own);
    const resize = (weight: number) => {
      if (!isHeld) return;
      const next = holdings.clamped(weight);
      holdings.add(organization, next - own);
      own = next;
      serve();
    };
    const release = () => {
      resize(0);
      isHeld = false;
    };
    return { resize, release };
  }

  function tryAcquire(request: SlotRequest): Slot | undefined {
    const wanted = wantedBy(request);
    if (!holdings.fits(wanted)) return undefined;
    if (line.isEmpty()) return slotFor(wanted);
    let slot: Slot | undefined;
    const waiter: Waiter = { ...wanted, grant: (granted) => (slot = granted) };
    line.enter(waiter);
    serve();
    line.leave(waiter);
    return slot;
  }

  async function acquire(request: SlotRequest): Promise<Slot> {
    const { signal } = request;
    signal?.throwIfAborted();
    const slot = tryAcquire(request);
    if (slot) return slot;
    return new Promise((resolve, reject) => {
      const grant = (granted: Slot) => {
        signal?.removeEventListener('abort', abort);
        resolve(granted);
      };
      const waiter: Waiter = { ...wantedBy(request), grant };
      const abort = () => {
        line.leave(waiter);
        reject(signal?.reason);
        // Other waiters may have been blocked behind this one.
        serve();
      };
      signal?.addEventListener('abort', abort, { once: true });
      line.enter(waiter);
    });
  }

  const own: Semaphore = { tryAcquire, acquire, run: (request, work) => runWith(own, request, work) };
  if (name) named.set(name, own);
  return own;
}

async function runWith<T>(slots: Semaphore, request: SlotRequest, work: () => Promise<T>): Promise<T> {
  request.signal?.throwIfAborted();
  const slot = slots.tryAcquire(request) ?? (await slots.acquire(request));
  try {
    return await work();
  } finally {
    slot.release();
  }
}

type Wanted = { organization: string; weight: number };
type Waiter = Wanted & { grant(slot: Slot): void };
type Holdings = ReturnType<typeof holdingsWithin>;

/** What each organization holds, and how much more it may hold. */
function holdingsWithin({ capacity, maxEach }: Pick<SemaphoreOptions, 'capacity' | 'maxEach'>) {
  const held = new Map<string, number>();
  let taken = 0;
  const limitBeside = (others: number): number => maxEach ?? Math.max(1, Math.floor(SHARE * (capacity - others)));
  const max = Math.min(capacity, limitBeside(0));
  return {
    /** Limits a weight to the most that an organization may ever hold. */
    clamped: (weight: number): number => Math.min(weight, max),
    isHolding: (organization: string): boolean => held.has(organization),
    fits({ organization, weight }: Wanted): boolean {
      const own = held.get(organization) ?? 0;
      return taken + weight <= capacity && own + weight <= limitBeside(taken - own);
    },
    add(organization: string, weight: number): void {
      const own = (held.get(organization) ?? 0) + weight;
      taken += weight;
      if (own > 0) held.set(organization, own);
      else held.delete(organization);
    },
  };
}

/** Waiting requests: organizations round robin, each one's requests first in, first out. */
function waitingLine(holdings: Holdings) {
  const lines = new Map<string, Set<Waiter>>();

  function leave(waiter: Waiter): void {
    const own = lines.get(waiter.organization);
    own?.delete(waiter);
    if (own?.size === 0) lines.delete(waiter.organization);
  }

  function next(): Waiter | undefined {
    for (const [waiter] of lines.values()) {
      if (!waiter || holdings.fits(waiter)) return waiter;
      // This waiter only waits for others. If later ones went first, a heavy request might never find room.
      if (!holdings.isHolding(waiter.organization)) return undefined;
    }
    return undefined;
  }

  return {
    isEmpty: () => lines.size === 0,
    enter(waiter: Waiter): void {
      const own = lines.get(waiter.organization);
      if (own) own.add(waiter);
      else lines.set(waiter.organization, new Set([waiter]));
    },
    leave,
    /** The next waiter whose request fits; its organization then goes to the end of the line. */
    takeNext(): Waiter | undefined {
      const waiter = next();
      if (!waiter) return undefined;
      leave(waiter);
      const rest = lines.get(waiter.organization);
      if (rest) {
        lines.delete(waiter.organization);
        lines.set(waiter.organization, rest);
      }
      return waiter;
    },
  };
}
