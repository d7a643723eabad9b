/** Keeps a thread's WebAssembly under a limit: V8 has none for it, and memory that has grown never shrinks. */

type Memory = { readonly buffer: ArrayBuffer; grow(pages: number): number };
export type MemoryKind = { prototype: Memory };

const PAGE_BYTES = 65_536;

export const webAssemblyMemory = (): MemoryKind =>
  (Reflect.get(globalThis, 'WebAssembly') as { Memory: MemoryKind }).Memory;

/** Answers whether a program was refused more. */
export function boundWebAssembly({ prototype }: MemoryKind, mostBytes: number): () => boolean {
  const { grow } = prototype;
  let isRefused = false;
  prototype.grow = function growWithin(this: Memory, pages) {
    if (this.buffer.byteLength + pages * PAGE_BYTES > mostBytes) {
      isRefused = true;
      throw new RangeError('WebAssembly may not grow any more.');
    }
    return grow.call(this, pages);
  };
  return () => isRefused;
}
