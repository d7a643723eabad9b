/** Hands on what one turn of the event loop brought as one message: each message wakes the other thread. */
export function batched<T>(send: (batch: T[]) => void): (one: T) => void {
  let batch: T[] = [];
  return (one) => {
    if (batch.push(one) > 1) return;
    setImmediate(() => {
      const full = batch;
      batch = [];
      send(full);
    });
  };
}
