/** The current location in the console, and navigation. */

import { useStore } from './hooks.ts';
import { hrefOf, type PageLocation, placeOf } from './location.ts';
import { store } from './store.ts';

const place = store<PageLocation>(placeOf(location.hash));
addEventListener('hashchange', () => place.set(placeOf(location.hash)));

export const usePlace = (): PageLocation => useStore(place);

export function go(href: string, { replace = false } = {}): void {
  if (!replace) {
    location.hash = href;
    return;
  }
  history.replaceState(null, '', href);
  place.set(placeOf(href));
}

/** The query of the location. Setting it returns to the first page of a list and adds no history entry. */
export function useQueryText(query: URLSearchParams) {
  return {
    text: (name: string): string => query.get(name) ?? '',
    set(changes: Record<string, string>): void {
      go(hrefOf(place.get().path, { ...Object.fromEntries(query), offset: '', ...changes }), { replace: true });
    },
  };
}
