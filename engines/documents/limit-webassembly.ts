/** The limit of the WebAssembly memory of a thread. */

/** The part of WebAssembly.Memory that is used here. */
type WebAssemblyMemory = { readonly buffer: ArrayBuffer; grow(pages: number): number };
type WebAssemblyMemoryClass = { prototype: WebAssemblyMemory };

const PAGE_BYTES = 65_536;

export const webAssemblyMemory = (): WebAssemblyMemoryClass =>
  (Reflect.get(globalThis, 'WebAssembly') as { Memory: WebAssemblyMemoryClass }).Memory;

/**
 * Limits a thread's WebAssembly memory, for which V8 has no limit; grown memory never shrinks. Returns a function that
 * reports if a program was refused more memory.
 */
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
