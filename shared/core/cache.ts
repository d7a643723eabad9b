/** Bounded caches in memory. The least recently used entry is evicted first. */
import type { Clock } from '../ports.ts';

type Cache<K, V> = {
  get(key: K): V | undefined;
  /** `at`: when the value was read; now by default. */
  set(key: K, value: V, at?: number): void;
  delete(key: K): void;
};

type Expiry = { clock: Pick<Clock, 'now'>; ttlMs: number };
type CacheOptions<V> = { max: number; onEvict?: (value: V) => void };

/** Without an expiry, entries stay until they are evicted. */
export function lruCache<K, V>(options: CacheOptions<V> & (Expiry | { ttlMs?: undefined })): Cache<K, V> {
  const { max, onEvict } = options;
  const entries = new Map<K, { value: V; at: number }>();
  const now = options.ttlMs === undefined ? () => 0 : () => options.clock.now();

  function isExpired(at: number): boolean {
    const age = now() - at;
    // A negative age means that the clock was set back.
    return options.ttlMs !== undefined && (age < 0 || age >= options.ttlMs);
  }

  function evictOldest(): void {
    // A Map keeps the order of insertion, so its first entry is the least recently used.
    for (const [key, { value }] of entries) {
      entries.delete(key);
      onEvict?.(value);
      return;
    }
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      if (isExpired(entry.at)) return undefined;
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, at = now()) {
      entries.delete(key);
      if (entries.size >= max) evictOldest();
      entries.set(key, { value, at });
    },
    delete(key) {
      entries.delete(key);
    },
  };
}

type LoadingCache<T> = {
  /** Concurrent callers share one load; a load that fails is not cached. */
  get(key: string): Promise<T | undefined>;
  /** The cached value, without loading. */
  peek(key: string): T | undefined;
  /** Also discards the result of a load in progress. */
  delete(key: string): void;
};

type LoadingOptions<T> = Expiry & { max: number; load: (key: string) => Promise<T | undefined> };

/** Caches what `load` returns, `undefined` included. */
export function loadingCache<T>({ load, ...bounds }: LoadingOptions<T>): LoadingCache<T> {
  const { clock } = bounds;
  const present = lruCache<string, { value: T }>(bounds);
  // Misses have a cache of their own, so that a flood of unknown keys evicts no known one.
  const absent = lruCache<string, { value: T | undefined }>(bounds);
  const loading = new Map<string, Promise<T | undefined>>();

  function store(key: string, value: T | undefined, at: number): void {
    present.delete(key);
    absent.delete(key);
    if (value === undefined) absent.set(key, { value }, at);
    else present.set(key, { value }, at);
  }

  function startLoad(key: string): Promise<T | undefined> {
    const at = clock.now(); // before the load, so that no entry is older than it claims
    const isCurrent = (): boolean => loading.get(key) === started;
    const started: Promise<T | undefined> = load(key)
      .then((value) => {
        if (isCurrent()) store(key, value, at);
        return value;
      })
      .finally(() => {
        if (isCurrent()) loading.delete(key);
      });
    loading.set(key, started);
    return started;
  }

  return {
    get(key) {
      const cached = present.get(key) ?? absent.get(key);
      return cached ? Promise.resolve(cached.value) : (loading.get(key) ?? startLoad(key));
    },
    peek: (key) => present.get(key)?.value,
    delete(key) {
      present.delete(key);
      absent.delete(key);
      loading.delete(key);
    },
  };
}
