/** A list page by page, as one sequence. */

export type Page<T> = { items: T[]; next: string | null };

export async function* itemsOf<T>(pageAt: (cursor: string | undefined) => Promise<Page<T>>): AsyncGenerator<T, void> {
  for (let cursor: string | undefined; ; ) {
    const { items, next } = await pageAt(cursor);
    yield* items;
    if (next === null) return;
    cursor = next;
  }
}
