/** Work that a timer starts again and again, and that may take longer than the timer's interval. */

/** Returns a function that begins a round, or does nothing while the last round still runs. */
export function withoutOverlap(round: () => Promise<void>): () => Promise<void> {
  let isRunning = false;
  return async () => {
    if (isRunning) return;
    isRunning = true;
    try {
      await round();
    } finally {
      isRunning = false;
    }
  };
}
