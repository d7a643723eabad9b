/** Counts the tokens of the model calls of one attempt, including calls that fail later. */

import {
  bothIn,
  isSpent,
  microUsdOf,
  NO_TOKENS,
  sumTokens,
  type TokenPrice,
  type Tokens,
  type Usage,
} from './tokens.ts';

/** A call about to be made: its estimated input, and the limit of its output. */
export type PlannedCall = { model: string; inputTokens: number; outputTokens: number; price?: TokenPrice | undefined };

/** Reserves the most that a call may cost, or throws. The returned function gives back the unspent part. */
export type Reserve = (call: PlannedCall) => Promise<(spent: Partial<Tokens>) => Promise<void>>;

/** The part of a meter that callers of models need. */
export type CallMeter = {
  reserve: Reserve;
  /** Names the model of the next call. */
  use(model: string): void;
  /** A call has started. Call the returned function once with its tokens; otherwise `estimate` counts. */
  begin(estimate: () => Partial<Tokens>, price?: TokenPrice): (spent: Partial<Tokens>) => void;
};

/** Without a budget nothing is reserved. */
const reserveNothing: Reserve = async () => async () => undefined;

export type Meter = CallMeter & {
  /** Counts open calls by their estimates, because the worker stops waiting for them. */
  closeCalls(): void;
  /** Input plus output, including estimates of open calls. */
  soFar(): number;
  /** `undefined` before a model was named. */
  total(): Usage | undefined;
  hasUntaken(): boolean;
  /** The tokens counted since the last `take`. */
  take(): Tokens;
  /** Adds back tokens that could not be written. */
  restore(tokens: Tokens): void;
};

function withCost(spent: Partial<Tokens>, price: TokenPrice | undefined): Partial<Tokens> {
  if (!price) return spent;
  const { inputTokens = 0, outputTokens = 0 } = spent;
  return { ...spent, pricedTokens: inputTokens + outputTokens, microUsd: microUsdOf(spent, price) };
}

export function createMeter(reserve: Reserve = reserveNothing): Meter {
  const openCalls = new Map<() => void, () => Partial<Tokens>>();
  let model: string | undefined;
  let counted = NO_TOKENS;
  let untaken = NO_TOKENS;

  return {
    reserve,
    use(id) {
      model = id;
    },
    begin(estimate, price) {
      const end = (tokens: Partial<Tokens>): void => {
        if (!openCalls.delete(close)) return; // counted already
        const spent = withCost(tokens, price);
        counted = sumTokens(counted, spent);
        untaken = sumTokens(untaken, spent);
      };
      const close = () => end(estimate());
      openCalls.set(close, estimate);
      return end;
    },
    closeCalls() {
      for (const close of [...openCalls.keys()]) close();
    },
    soFar: () => bothIn(sumTokens(counted, ...[...openCalls.values()].map((estimate) => estimate()))),
    total: () => (model === undefined ? undefined : { model, ...counted }),
    hasUntaken: () => isSpent(untaken),
    take() {
      const tokens = untaken;
      untaken = NO_TOKENS;
      return tokens;
    },
    restore(tokens) {
      untaken = sumTokens(untaken, tokens);
    },
  };
}
