/** Keeps a thread's WebAssembly under a limit: V8 has none for it, and memory that has grown never shrinks. */

type WebAssemblyMemory = { readonly buffer: ArrayBuffer; grow(pages: number): number };
export type WebAssemblyMemoryClass = { prototype: WebAssemblyMemory };

const PAGE_BYTES = 65_536;

export const webAssemblyMemory = (): WebAssemblyMemoryClass =>
  (Reflect.get(globalThis, 'WebAssembly') as { Memory: WebAssemblyMemoryClass }).Memory;

/** Answers whether a program was refused more. */
export function limitWebAssembly({ prototype }: WebAssemblyMemoryClass, maxBytes: number): () => boolean {
  const { grow } = prototype;
  let isRefused = false;
  prototype.grow = function growWithin(this: WebAssemblyMemory, pages) {
    if (this.buffer.byteLength + pages * PAGE_BYTES > maxBytes) {
      isRefused = true;
      throw new RangeError('WebAssembly may not grow any more.');
    }
    return grow.call(this, pages);
  };
  return () => isRefused;
}
