/** Works on some documents side by side, and hands over each as soon as it is done. */

export type ConcurrentWork<Outcome> = {
  /** How many documents are worked on. */
  size: number;
  /** What came of those that are done, by their indexes. */
  outcomes: ReadonlyMap<number, Outcome>;
  /**
   * Resolves when `count` documents are done. Where one failed, so that they will not be, it rejects once all others have
   * ended: the stages before still keep those, and nothing goes on behind the task's back.
   */
  until(count: number): Promise<void>;
};

export function startConcurrently<Outcome>(
  documents: readonly number[],
  work: (at: number) => Promise<Outcome>,
): ConcurrentWork<Outcome> {
  const outcomes = new Map<number, Outcome>();
  let running = documents.length;
  let failure: { cause: unknown } | undefined;
  let change = Promise.withResolvers<void>();
  const workOn = async (at: number): Promise<void> => {
    try {
      outcomes.set(at, await work(at));
    } catch (cause) {
      failure ??= { cause };
    }
    running--;
    change.resolve();
    change = Promise.withResolvers();
  };
  for (const at of documents) void workOn(at);
  return {
    size: documents.length,
    outcomes,
    async until(count) {
      while (outcomes.size < count && running > 0) await change.promise;
      if (outcomes.size < count && failure) throw failure.cause;
    },
  };
}
