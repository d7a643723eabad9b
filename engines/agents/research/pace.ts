/** Lets others go on while much text is read. */

/** Called with how many characters come next; breaks off with the signal's reason. */
export type Pace = (characters: number) => Promise<void>;

/** Some tens of milliseconds. */
const AT_A_STRETCH = 300_000;

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
