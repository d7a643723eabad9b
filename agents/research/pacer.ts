/** Lets other work in between while long texts are processed. */

/** Called with the number of characters that come next. Rejects with the signal's reason. */
export type Pace = (characters: number) => Promise<void>;

/** Reading this many characters takes some tens of milliseconds. */
const AT_A_STRETCH = 300_000;

/** Returns a function that yields to the event loop at intervals while long texts are processed. */
export function pacer(signal: AbortSignal): Pace {
  let read = 0;
  return async (characters) => {
    read += characters;
    if (read < AT_A_STRETCH) return;
    read = 0;
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  };
}
