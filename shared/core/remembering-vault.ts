/** A vault that remembers what it has opened: for whoever opens the same few texts again and again. */
import { lruCache } from './cache.ts';
import type { Vault } from './vault.ts';

const MOST_KEPT = 1_000;

/** A sealed text stands for one text for good, so nothing remembered is ever out of date. */
export function cachedVault(vault: Vault): Vault {
  const opened = lruCache<string, Promise<string>>({ max: MOST_KEPT });
  return {
    seal: vault.seal,
    open(sealed, context) {
      const name = `${context} ${sealed}`;
      const known = opened.get(name);
      if (known) return known;
      const text = vault.open(sealed, context);
      opened.set(name, text);
      text.catch(() => opened.delete(name));
      return text;
    },
  };
}
