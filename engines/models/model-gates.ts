/** Keeps calls from a model that is busy or away, over all instances. A model that answers costs no read and no write. */
import { lruCache } from '../../shared/core/cache.ts';
import { updateRow } from '../../shared/core/table-access.ts';
import { MINUTE_MS, SECOND_MS, systemClock } from '../../shared/core/time.ts';
import type { Clock, Ids, Key, Table } from '../../shared/ports.ts';
import { MAX_WAITS_FOR, TaskFailure, type Wait } from '../../shared/tasks/task-failure.ts';
import { afterAnswer, afterFailure, nextTry, type Outage, withoutProbe, withProbe } from './outage.ts';

/** `pace`: the name under which its calls are paced: the same for all calls with the same model and key. */
type PacedModel = { model: string; pace: string; organization: string; hasWaited: boolean; hasPaid?: () => boolean };

type Busy = { reason: string; retryAfterMs: number };

export type Gate = {
  /**
   * Makes a call, or throws a TaskFailure with a `Wait` while nobody may ask the model. `ask` reports the first token, so
   * that others need not wait for the whole answer.
   */
  call<T>(ask: (answered: () => void) => PromiseLike<T>): Promise<T>;
  /** Records that the model is busy or away, and returns when this caller may ask again. */
  busy(answer: Busy): Promise<Wait>;
  /** Whether this process knows that the model was busy or away a moment ago. */
  isPaced(): boolean;
  now(): number;
};

export type Gates = (model: PacedModel) => Gate;

type PacePorts = { table: Table; clock: Clock; ids: Pick<Ids, 'mark'>; chance(): number };

const MAX_MODELS = 1_000;
/** How long an outage is remembered that nobody looks into any more. */
const KEPT_MS = 30 * MINUTE_MS;
/** Many instances write the row when a model comes back. */
const MAX_TRIES = 20;

const keyOf = (pace: string): Key => ({ pk: `PACE#${pace}`, sk: 'OUTAGE' });

export function modelGates({ table, clock, ids, chance }: PacePorts): Gates {
  const outages = lruCache<string, Outage>({ max: MAX_MODELS });

  function remember(pace: string, outage: Outage | undefined): void {
    if (outage) outages.set(pace, outage);
    else outages.delete(pace);
  }

  /** `change` returns the outage unchanged to leave the row, and `undefined` to end it. */
  async function update(
    pace: string,
    change: (outage: Outage | undefined) => Outage | undefined,
  ): Promise<Outage | undefined> {
    let outage: Outage | undefined;
    await updateRow<Outage>(
      table,
      keyOf(pace),
      (row) => {
        outage = change(row?.value);
        if (outage === row?.value) return { stop: undefined };
        const value = outage ?? (row?.value as Outage);
        return { write: { value, expiresAt: outage ? outage.until + KEPT_MS : clock.now() } };
      },
      { maxTries: MAX_TRIES },
    );
    remember(pace, outage);
    return outage;
  }

  return ({ model, pace, organization, hasWaited, hasPaid = () => false }) => {
    let mayBePaced = hasWaited;

    const waitFor = (outage: Outage): Wait => ({
      waitsFor: waitText(model, outage.reason),
      until: nextTry(outage, { organization, now: clock.now(), chance: chance() }),
      awayMs: clock.now() - outage.since,
    });

    /** Returns the name of the call among the probes, if the model is paced. */
    async function enter(): Promise<string | undefined> {
      const outage = outages.get(pace);
      if (!outage && !mayBePaced) return undefined;
      mayBePaced = false;
      if (outage && clock.now() < outage.until) throw closedFailure(model, waitFor(outage));
      const probe = ids.mark();
      let hasPlace = false;
      const current = await update(pace, (stored) => {
        const entered = stored && withProbe(stored, { probe, organization, now: clock.now(), isPaid: hasPaid() });
        hasPlace = entered !== undefined;
        return entered ?? stored;
      });
      if (current && !hasPlace) throw closedFailure(model, waitFor(current));
      return current && probe;
    }

    async function recordAnswer(probe: string | undefined, begunAt: number): Promise<void> {
      if (!outages.get(pace)) return;
      await update(pace, (stored) => stored && afterAnswer(stored, { probe, begunAt, now: clock.now() }));
    }

    const leave = async (probe: string): Promise<void> => {
      await update(pace, (stored) => stored && withoutProbe(stored, probe));
    };

    return {
      async call(ask) {
        const probe = await enter();
        const begunAt = clock.now();
        let recording: Promise<void> | undefined;
        const answered = () => {
          // A place that is not given back lapses.
          recording ??= recordAnswer(probe, begunAt).catch(() => undefined);
        };
        try {
          const answer = await ask(answered);
          answered();
          return answer;
        } catch (error) {
          if (probe !== undefined) recording ??= leave(probe).catch(() => undefined);
          throw error;
        } finally {
          await recording;
        }
      },
      async busy({ reason, retryAfterMs }) {
        const failure = { reason, retryAfterMs, now: clock.now(), chance: chance() };
        // The task waits as well if the others cannot be told.
        const outage = await update(pace, (stored) => afterFailure(stored, failure)).catch(() => undefined);
        return waitFor(outage ?? afterFailure(outages.get(pace), failure));
      },
      isPaced: () => outages.get(pace) !== undefined,
      now: clock.now,
    };
  };
}

const closedFailure = (model: string, wait: Wait): TaskFailure =>
  new TaskFailure('MODEL_UNAVAILABLE', `The model ${model} is busy or away; submit the task again later.`, { wait });

/** For callers without a table: each of them finds out by itself. */
export const openGates: Gates = ({ model }) => ({
  call: async (ask) => ask(() => undefined),
  busy: async ({ reason, retryAfterMs }) => ({
    waitsFor: waitText(model, reason),
    until: systemClock.now() + Math.max(5 * SECOND_MS, retryAfterMs),
  }),
  isPaced: () => false,
  now: systemClock.now,
});

/** Fits into the task's item. */
function waitText(model: string, reason: string): string {
  const room = MAX_WAITS_FOR - reason.length - 2;
  return `${model.length > room ? `${model.slice(0, room - 3)}...` : model}: ${reason}`;
}
