import { describe, expect, it } from 'vitest';
import { loadingCache, lruCache } from '../../../shared/core/cache.ts';
import { setClock } from '../../ports/clock.ts';

describe('an LRU cache', () => {
  it('evicts the least recently used entry, and only that one', () => {
    const evicted: number[] = [];
    const cache = lruCache<string, number>({ max: 2, onEvict: (value) => evicted.push(value) });
    cache.set('a', 1);
    cache.set('b', 2);
    cache.get('a');
    cache.set('c', 3);
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3]);
    expect(evicted).toEqual([2]);
  });

  it('does not evict another entry when a known key is set again', () => {
    const cache = lruCache<string, number>({ max: 2 });
    cache.set('a', 1);
    cache.set('b', 2);
    cache.set('b', 3);
    expect([cache.get('a'), cache.get('b')]).toEqual([1, 3]);
  });

  it('returns an entry until its time to live has passed, however often it is read', () => {
    const clock = setClock();
    const cache = lruCache<string, number>({ max: 2, clock, ttlMs: 1_000 });
    cache.set('a', 1);
    clock.pass(999);
    expect(cache.get('a')).toBe(1);
    clock.pass(1);
    expect(cache.get('a')).toBeUndefined();
  });

  it('drops entries from the future after the clock was set back', () => {
    const clock = setClock();
    const cache = lruCache<string, number>({ max: 2, clock, ttlMs: 1_000 });
    cache.set('a', 1);
    clock.pass(-1);
    expect(cache.get('a')).toBeUndefined();
  });
});

function recorder(max: number) {
  const loads: string[] = [];
  const clock = setClock();
  const load = async (id: string) => {
    loads.push(id);
    return id.startsWith('known') ? id : undefined;
  };
  return { cache: loadingCache({ clock, ttlMs: 30_000, max, load }), loads, clock };
}

describe('a loading cache', () => {
  it('loads a key once while it is cached, and again after its time to live', async () => {
    const { cache, loads, clock } = recorder(3);
    expect(await cache.get('known1')).toBe('known1');
    clock.pass(29_999);
    await cache.get('known1');
    expect(loads).toEqual(['known1']);
    clock.pass(1);
    await cache.get('known1');
    expect(loads).toEqual(['known1', 'known1']);
  });

  it('shares one load among concurrent callers', async () => {
    const { cache, loads } = recorder(3);
    expect(await Promise.all([cache.get('known1'), cache.get('known1')])).toEqual(['known1', 'known1']);
    expect(loads).toEqual(['known1']);
  });

  it('keeps known keys through a flood of unknown ones', async () => {
    const { cache, loads } = recorder(10);
    await cache.get('known1');
    for (let n = 0; n < 1_000; n++) await cache.get(`unknown${n}`);
    loads.length = 0;
    await cache.get('known1');
    await cache.get('unknown999');
    await cache.get('unknown989');
    expect(loads).toEqual(['unknown989']);
  });

  it('counts the age from before the load', async () => {
    const clock = setClock();
    let loads = 0;
    const load = async () => {
      clock.pass(20_000);
      return ++loads;
    };
    const cache = loadingCache({ clock, ttlMs: 30_000, max: 10, load });
    expect(await cache.get('a')).toBe(1);
    clock.pass(9_999);
    expect(await cache.get('a')).toBe(1);
    clock.pass(1);
    expect(await cache.get('a')).toBe(2);
  });

  it('does not cache a failed load', async () => {
    let loads = 0;
    const load = async () => {
      if (loads++ === 0) throw new Error('lost');
      return 'found';
    };
    const cache = loadingCache({ clock: setClock(), ttlMs: 30_000, max: 10, load });
    await expect(cache.get('a')).rejects.toThrow('lost');
    expect(cache.peek('a')).toBeUndefined();
    expect(await cache.get('a')).toBe('found');
  });

  it('does not cache a load that was under way when its key was deleted', async () => {
    const { cache, loads } = recorder(3);
    const first = cache.get('known1');
    cache.delete('known1');
    expect(await first).toBe('known1');
    expect(cache.peek('known1')).toBeUndefined();
    await cache.get('known1');
    expect(loads).toEqual(['known1', 'known1']);
  });
});
