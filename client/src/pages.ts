/** Iterates over a paginated list. */
import { ErrandError } from './errors.ts';

export type Page<T> = { items: T[]; next: string | null };

export async function* itemsOf<T>(pageAt: (cursor: string | undefined) => Promise<Page<T>>): AsyncGenerator<T, void> {
  for (let cursor: string | undefined; ; ) {
    const { items, next } = await pageAt(cursor);
    if (!Array.isArray(items))
      throw new ErrandError('NOT_ERRAND', 'The response is not a list of Errand: check the base URL.');
    yield* items;
    if (typeof next !== 'string') return;
    cursor = next;
  }
}
