/**
 * Collects the heap and gives its empty pages back. V8 does so only when something allocates, so a process at rest would
 * keep them: about 17 MB after the start, and the heaps of document threads that have ended. Does nothing without the flag
 * `--expose-gc`, which `npm start` sets.
 */
export function collectHeap(): void {
  void globalThis.gc?.({ type: 'major', execution: 'async', flavor: 'last-resort' });
}
