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

const semaphoresByName = new Map<SharedResource, Semaphore>();
/** The newest semaphore of each name in this process. */
export const namedSemaphores = (): ReadonlyMap<SharedResource, Semaphore> => semaphoresByName;

export function semaphore({ name, ...bounds }: SemaphoreOptions): Semaphore {
  const allocations = createAllocations(bounds);
  const queue = createWaitingQueue(allocations);

  function serve(): void {
    for (let next = queue.takeNext(); next; next = queue.takeNext()) next.grant(slotFor(next));
  }

  const demandOf = ({ organization, weight = 1 }: SlotRequest): Demand => ({
    organization,
    weight: allocations.clamped(weight),
  });

  function slotFor({ organization, weight }: Demand): Slot {
    let ownWeight = weight;
    let isHeld = true;
    allocations.add(organization, ownWeight);
    const resize = (weight: number) => {
      if (!isHeld) return;
      const next = allocations.clamped(weight);
      allocations.add(organization, next - ownWeight);
      ownWeight = next;
      serve();
    };
    const release = () => {
      resize(0);
      isHeld = false;
    };
    return { resize, release };
  }

  function tryAcquire(request: SlotRequest): Slot | undefined {
    const demand = demandOf(request);
    if (!allocations.fits(demand)) return undefined;
    if (queue.isEmpty()) return slotFor(demand);
    let slot: Slot | undefined;
    const waiter: Waiter = { ...demand, grant: (granted) => (slot = granted) };
    queue.enter(waiter);
    serve();
    queue.leave(waiter);
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
      const waiter: Waiter = { ...demandOf(request), grant };
      const abort = () => {
        queue.leave(waiter);
        reject(signal?.reason);
        // Other waiters may have been blocked behind this one.
        serve();
      };
      signal?.addEventListener('abort', abort, { once: true });
      queue.enter(waiter);
    });
  }

  const instance: Semaphore = { tryAcquire, acquire, run: (request, work) => runWith(instance, request, work) };
  if (name) semaphoresByName.set(name, instance);
  return instance;
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

type Demand = { organization: string; weight: number };
type Waiter = Demand & { grant(slot: Slot): void };
type Allocations = ReturnType<typeof createAllocations>;

/** What each organization holds, and how much more it may hold. */
function createAllocations({ capacity, maxEach }: Pick<SemaphoreOptions, 'capacity' | 'maxEach'>) {
  const weights = new Map<string, number>();
  let totalWeight = 0;
  const limitBeside = (weightOfOthers: number): number =>
    maxEach ?? Math.max(1, Math.floor(SHARE * (capacity - weightOfOthers)));
  const max = Math.min(capacity, limitBeside(0));
  return {
    /** Limits a weight to the most that an organization may ever hold. */
    clamped: (weight: number): number => Math.min(weight, max),
    isHolding: (organization: string): boolean => weights.has(organization),
    fits({ organization, weight }: Demand): boolean {
      const ownWeight = weights.get(organization) ?? 0;
      return totalWeight + weight <= capacity && ownWeight + weight <= limitBeside(totalWeight - ownWeight);
    },
    add(organization: string, weight: number): void {
      const ownWeight = (weights.get(organization) ?? 0) + weight;
      totalWeight += weight;
      if (ownWeight > 0) weights.set(organization, ownWeight);
      else weights.delete(organization);
    },
  };
}

/** Waiting requests: organizations round robin, each one's requests first in, first out. */
function createWaitingQueue(allocations: Allocations) {
  const queues = new Map<string, Set<Waiter>>();

  function leave(waiter: Waiter): void {
    const waiters = queues.get(waiter.organization);
    waiters?.delete(waiter);
    if (waiters?.size === 0) queues.delete(waiter.organization);
  }

  function next(): Waiter | undefined {
    for (const [waiter] of queues.values()) {
      if (!waiter || allocations.fits(waiter)) return waiter;
      // This waiter only waits for others. If later ones went first, a heavy request might never find room.
      if (!allocations.isHolding(waiter.organization)) return undefined;
    }
    return undefined;
  }

  return {
    isEmpty: () => queues.size === 0,
    enter(waiter: Waiter): void {
      const waiters = queues.get(waiter.organization);
      if (waiters) waiters.add(waiter);
      else queues.set(waiter.organization, new Set([waiter]));
    },
    leave,
    /** The next waiter whose request fits; its organization then goes to the end of the line. */
    takeNext(): Waiter | undefined {
      const waiter = next();
      if (!waiter) return undefined;
      leave(waiter);
      const waiters = queues.get(waiter.organization);
      if (waiters) {
        queues.delete(waiter.organization);
        queues.set(waiter.organization, waiters);
      }
      return waiter;
    },
  };
}
