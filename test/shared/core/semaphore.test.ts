/** The fair semaphore of all resources that organizations share. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  capacityFor,
  namedSemaphores,
  type Semaphore,
  type Slot,
  type SlotRequest,
  semaphore,
} from '../../../shared/core/semaphore.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Requests slots and notes which requests got one, in that order. */
function watch(slots: Semaphore) {
  const granted: string[] = [];
  const held = new Map<string, Slot>();
  const request = (name: string, { organization = name[0] ?? '', ...rest }: Partial<SlotRequest> = {}) =>
    slots.acquire({ organization, ...rest }).then((slot) => {
      granted.push(name);
      held.set(name, slot);
    });
  const release = async (name: string) => {
    held.get(name)?.release();
    await settle();
  };
  return { granted, request, release };
}

describe('a fair semaphore', () => {
  it('leaves a quarter of its slots, and at least one, to the other organizations', async () => {
    for (const [capacity, most] of [
      [2, 1],
      [3, 2],
      [8, 6],
      [11, 8],
    ] as const) {
      const slots = semaphore({ capacity });
      const all = Array.from({ length: capacity }, () => slots.tryAcquire({ organization: 'a' }));
      expect(all.filter((slot) => slot !== undefined)).toHaveLength(most);
      expect(slots.tryAcquire({ organization: 'b' })).toBeDefined();
    }
  });

  it('gives its only slot to each organization in turn', async () => {
    const { granted, request, release } = watch(semaphore({ capacity: 1 }));
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void request(name);
    await settle();
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) {
      expect(granted.at(-1)).toBe(name);
      await release(name);
    }
  });

  it('gives a slot to a new organization at once, however long the queue of another one is', async () => {
    const { granted, request } = watch(semaphore({ capacity: 4 }));
    for (let at = 0; at < 1_000; at++) void request(`a${at}`);
    void request('b');
    await settle();
    expect(granted).toEqual(['a0', 'a1', 'a2', 'b']);
  });

  it('removes a request that is aborted while it waits, at once', async () => {
    const { granted, request, release } = watch(semaphore({ capacity: 1 }));
    const control = new AbortController();
    void request('a1');
    const aborted = request('b1', { signal: control.signal });
    void request('c1');
    control.abort(new Error('cancelled'));
    await expect(aborted).rejects.toThrow('cancelled');
    await release('a1');
    expect(granted).toEqual(['a1', 'c1']);
    await expect(request('b2', { signal: control.signal })).rejects.toThrow('cancelled');
  });

  it('does not let light requests overtake a heavy one forever', async () => {
    const { granted, request, release } = watch(semaphore({ capacity: 8 }));
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void request(name);
    void request('b1', { weight: 6 });
    void request('a6');
    void request('c1');
    await settle();
    expect(granted).toEqual(['a1', 'a2', 'a3', 'a4', 'a5']);
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) await release(name);
    expect(granted.slice(5)).toEqual(['b1', 'a6', 'c1']);
  });

  it('grants a request above the share if nothing else is held', async () => {
    const slots = semaphore({ capacity: 8 });
    const slot = slots.tryAcquire({ organization: 'a', weight: 100 });
    expect(slot).toBeDefined();
    expect(slots.tryAcquire({ organization: 'b', weight: 1 })).toBeDefined();
  });

  it('serves others as soon as a slot turns out to weigh less', async () => {
    const slots = semaphore({ capacity: 8 });
    const { granted, request } = watch(slots);
    const slot = slots.tryAcquire({ organization: 'a', weight: 6 });
    void request('b1', { weight: 4 });
    await settle();
    expect(granted).toEqual([]);
    slot?.resize(1);
    await settle();
    expect(granted).toEqual(['b1']);
    // The rest is returned once, even if it is released repeatedly.
    slot?.release();
    slot?.release();
    expect(slots.tryAcquire({ organization: 'c', weight: 3 })).toBeDefined();
    expect(slots.tryAcquire({ organization: 'd', weight: 2 })).toBeUndefined();
  });

  it('bounds each organization by `maxEach` where that is given', () => {
    const slots = semaphore({ capacity: 100, maxEach: 2 });
    const take = (organization: string) => slots.tryAcquire({ organization }) !== undefined;
    expect([take('a'), take('a'), take('a'), take('b')]).toEqual([true, true, false, true]);
  });

  it('counts the additional weight of a slot at once', async () => {
    const slots = semaphore({ capacity: 8 });
    const { granted, request } = watch(slots);
    const slot = slots.tryAcquire({ organization: 'a' });
    slot?.resize(20);
    void request('a1');
    await settle();
    expect(granted).toEqual([]);
    // As with a request, the rest is for the others.
    expect(slots.tryAcquire({ organization: 'b' })).toBeDefined();
    slot?.release();
    slot?.resize(20);
    await settle();
    expect(granted).toEqual(['a1']);
    expect(slots.tryAcquire({ organization: 'c', weight: 4 })).toBeDefined();
  });

  it('has a capacity and a configurable share for one organization', () => {
    for (const most of [1, 2, 3, 8, 10, 1_000]) {
      const slots = semaphore({ capacity: capacityFor(most) });
      const all = Array.from({ length: most + 1 }, () => slots.tryAcquire({ organization: 'a' }));
      expect(all.filter((slot) => slot !== undefined)).toHaveLength(most);
    }
  });

  it('is found by the name of its resource', () => {
    const slots = semaphore({ name: 'downloads', capacity: 2 });
    expect(namedSemaphores().get('downloads')).toBe(slots);
  });

  it('releases the slot of work that fails', async () => {
    const slots = semaphore({ capacity: 1 });
    const failing = slots.run({ organization: 'a' }, () => Promise.reject(new Error('no')));
    const next = slots.run({ organization: 'b' }, async () => 'yes');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});

type Step =
  | { do: 'request'; organization: string; weight: number }
  | { do: 'release'; at: number }
  | { do: 'shrink'; at: number; weight: number }
  | { do: 'abort'; at: number };

const at = fc.nat({ max: 40 });
const weight = fc.integer({ min: 1, max: 6 });
const steps = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('request' as const), organization: fc.constantFrom(...'abcd'), weight }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('release' as const), at }) },
    fc.record({ do: fc.constant('shrink' as const), at, weight }),
    fc.record({ do: fc.constant('abort' as const), at }),
  ),
  { maxLength: 60 },
);

type Request = { organization: string; weight: number; control: AbortController; slot?: Slot; isAborted?: true };

/** Runs the steps; `look` is called with every state in between. */
async function carryOut(capacity: number, all: readonly Step[], look: (requests: Request[]) => void) {
  const slots = semaphore({ capacity });
  const requests: Request[] = [];
  for (const step of all) {
    if (step.do === 'request') requests.push(requested(slots, { ...step, weight: clamped(step.weight, capacity) }));
    else change(requests[step.at], step);
    await settle();
    look(requests);
  }
  return requests;
}

const clamped = (weight: number, capacity: number) => Math.min(weight, Math.max(1, Math.floor(capacity * 0.75)));

function requested(slots: Semaphore, { organization, weight }: Pick<Request, 'organization' | 'weight'>): Request {
  const request: Request = { organization, weight, control: new AbortController() };
  slots.acquire({ organization, weight, signal: request.control.signal }).then(
    (slot) => Object.assign(request, { slot }),
    () => Object.assign(request, { isAborted: true }),
  );
  return request;
}

function change(request: Request | undefined, step: Exclude<Step, { do: 'request' }>): void {
  if (step.do === 'abort') request?.control.abort();
  if (!request?.slot) return;
  if (step.do === 'release') {
    request.slot.release();
    request.weight = 0;
  } else if (step.do === 'shrink') {
    const weight = Math.min(request.weight, step.weight);
    request.slot.resize(weight);
    request.weight = weight;
  }
}

const isWaiting = ({ slot, isAborted }: Request) => !slot && !isAborted;
const weightOf = (some: Request[]) => some.reduce((sum, { slot, weight }) => sum + (slot ? weight : 0), 0);

describe('any order of requests, releases, shrinks and aborts', () => {
  it('never gives out more than there is, nor all of it to one organization', async () => {
    const property = fc.asyncProperty(fc.integer({ min: 1, max: 9 }), steps, async (capacity, all) => {
      await carryOut(capacity, all, (requests) => {
        expect(weightOf(requests)).toBeLessThanOrEqual(capacity);
        for (const organization of 'abcd') {
          const own = weightOf(requests.filter((request) => request.organization === organization));
          expect(own).toBeLessThanOrEqual(Math.max(1, Math.floor(capacity * 0.75)));
        }
      });
    });
    await fc.assert(property, { numRuns: 150 });
  });

  it('never keeps an organization without slots waiting for a free one, and serves every request in the end', async () => {
    const property = fc.asyncProperty(fc.integer({ min: 1, max: 9 }), steps, async (capacity, all) => {
      const single = all.map((step) => (step.do === 'request' ? { ...step, weight: 1 } : step));
      const requests = await carryOut(capacity, single, (requests) => {
        const isFree = weightOf(requests) < capacity;
        const holding = new Set(
          requests.flatMap(({ organization, slot, weight }) => (slot && weight > 0 ? organization : [])),
        );
        expect(requests.filter((one) => isFree && isWaiting(one) && !holding.has(one.organization))).toEqual([]);
      });
      while (requests.some(isWaiting)) {
        const before = requests.filter(isWaiting).length;
        for (const { slot } of requests) slot?.release();
        await settle();
        expect(requests.filter(isWaiting).length).toBeLessThan(before);
      }
    });
    await fc.assert(property, { numRuns: 150 });
  });

  it('serves every heavy request in the end', async () => {
    const property = fc.asyncProperty(fc.integer({ min: 1, max: 9 }), steps, async (capacity, all) => {
      const requests = await carryOut(capacity, all, () => undefined);
      while (requests.some(isWaiting)) {
        const before = requests.filter(isWaiting).length;
        for (const { slot } of requests) slot?.release();
        await settle();
        expect(requests.filter(isWaiting).length).toBeLessThan(before);
      }
    });
    await fc.assert(property, { numRuns: 100 });
  });
});
