/** Counts what the model calls of one attempt spend, call by call, whatever becomes of the attempt afterwards. */
import { isSpent, NO_TOKENS, sumTokens, type Tokens, type Usage } from './tokens.ts';

/** What a caller of models needs of a meter. */
export type CallMeter = {
  /** Names the model that is about to be asked. */
  use(model: string): void;
  /** A call has begun. Call the returned function once with what it spent; `estimate` counts if that never happens. */
  begin(estimate: () => Partial<Tokens>): (spent: Partial<Tokens>) => void;
};

export type Meter = CallMeter & {
  /** Counts every call that has not ended by its estimate: the worker stops waiting for them. */
  closeCalls(): void;
  /** `undefined` before a model was named. */
  total(): Usage | undefined;
  hasUntaken(): boolean;
  /** What was counted since the last `take`. */
  take(): Tokens;
  /** Takes back what could not be written. */
  restore(tokens: Tokens): void;
};

export function createMeter(): Meter {
  const openCalls = new Set<() => void>();
  let model: string | undefined;
  let counted = NO_TOKENS;
  let untaken = NO_TOKENS;

  return {
    use(id) {
      model = id;
    },
    begin(estimate) {
      const end = (spent: Partial<Tokens>): void => {
        if (!openCalls.delete(close)) return; // counted already
        counted = sumTokens(counted, spent);
        untaken = sumTokens(untaken, spent);
      };
      const close = () => end(estimate());
      openCalls.add(close);
      return end;
    },
    closeCalls() {
      for (const close of [...openCalls]) close();
    },
    total: () => (model === undefined ? undefined : { model, ...counted }),
    hasUntaken: () => isSpent(untaken),
    take() {
      const taken = untaken;
      untaken = NO_TOKENS;
      return taken;
    },
    restore(tokens) {
      untaken = sumTokens(untaken, tokens);
    },
  };
}
