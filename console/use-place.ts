/** The place in the console, and going to another one. */
import { hrefOf, type PageLocation, placeOf } from './place.ts';
import { store } from './store.ts';
import { useStore } from './use-store.ts';

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

/** What stands behind the `?`; setting it goes back to the first page of a list, and leaves no trail. */
export function usePlaceQuery(query: URLSearchParams) {
  return {
    text: (name: string): string => query.get(name) ?? '',
    set(changes: Record<string, string>): void {
      go(hrefOf(place.get().path, { ...Object.fromEntries(query), offset: '', ...changes }), { replace: true });
    },
  };
}
