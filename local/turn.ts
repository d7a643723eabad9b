/** The end of a turn of the event loop: what waits for it goes on together, once all that came in has been looked at. */

/** One for all who wait in the same turn. */
export function turnEnds(): () => Promise<void> {
  let end: Promise<void> | undefined;
  return () => {
    end ??= new Promise((resolve) => {
      setImmediate(() => {
        end = undefined;
        resolve();
      });
    });
    return end;
  };
}
