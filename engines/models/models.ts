/** Finds the model for an id, which is `connection/name`, and makes each call fit it and its limits. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import { writesText } from '../../shared/accounts/models.ts';
import { capacityFor, semaphore } from '../../shared/core/semaphore.ts';
import type { Work } from '../../shared/tasks/agent.ts';
import type { ReasoningEffort } from '../../shared/tasks/details.ts';
import { TaskFailure } from '../../shared/tasks/task-failure.ts';
import type { CallMeter } from '../../shared/usage/meter.ts';
import { type RetryTiming, withConcurrencyLimit, withRetries } from './call-limits.ts';
import { type Refusals, withProfile } from './call-settings.ts';
import type { ConnectedModel, FindModel } from './connect.ts';
import { withinContext } from './context.ts';
import { withMetering } from './metering.ts';
import { type Gates, openGates } from './model-gates.ts';
import { type OwnProfiles, profileOf } from './profile.ts';
import { withStandby } from './standby.ts';
import { readStream, STREAM_LIMITS, type StreamLimits, withGenerate } from './streaming.ts';

/** Concurrent calls per organization in this process. The wait between two attempts of a call does not count. */
const MAX_CONCURRENT_CALLS = 100;

/**
 * Returns the model for a task, whose meter counts the calls; undefined for `offline/extractive`, which does not write. Throws
 * a TaskFailure if the model is not configured.
 */
export type ModelOf = (
  id: string,
  work: Pick<Work, 'address' | 'meter' | 'hasWaited' | 'standby'>,
  effort?: ReasoningEffort | null,
) => Promise<LanguageModelV4 | undefined>;

/** `gates`: without them, the instances do not know of each other which models are busy. */
type ModelOptions = { limits?: StreamLimits; ownProfiles?: OwnProfiles; gates?: Gates };

export function models(
  findModel: FindModel,
  timing: RetryTiming,
  { limits = STREAM_LIMITS, ownProfiles = {}, gates = openGates }: ModelOptions = {},
): ModelOf {
  const calls = semaphore({ name: 'modelCalls', capacity: capacityFor(MAX_CONCURRENT_CALLS) });
  const refusals = new Map<string, Refusals>();
  const paid = new WeakSet<CallMeter>();
  return async function modelOf(id, work, effort): ReturnType<ModelOf> {
    const { address, meter, hasWaited = false, standby } = work;
    if (!writesText(id)) {
      meter.use(id);
      return undefined;
    }
    const slash = id.indexOf('/');
    const modelRef = { connection: id.slice(0, slash), model: id.slice(slash + 1) };
    const connected = await findModel(modelRef, address.organization);
    if (connected) {
      const { model } = connected;
      const pace = modelKeyOf(id, connected);
      meter.use(id);
      const profile = profileOf(id, ownProfiles);
      const patience = { ...limits, firstTokenMs: profile.firstTokenMs ?? limits.firstTokenMs };
      const gate = gates({
        model: id,
        pace,
        organization: address.organization,
        hasWaited,
        hasPaid: () => paid.has(meter),
      });
      const counted = withMetering(model, meter, {
        ask: (options, onToken) =>
          gate.call((answered) => {
            const onFirst = (token: string) => {
              answered();
              onToken(token);
            };
            return readStream(model, options, { limits: patience, onToken: onFirst });
          }),
        bounds: { model: id, maxOutput: profile.output, price: profile.price },
      });
      const limited = readingCalls(withConcurrencyLimit(counted, calls, address.organization));
      const fitted = withProfile(withinContext(limited, profile.context), profile, refusalsOf(refusals, pace));
      const retried = withRetries(effort ? withEffort(fitted, effort) : fitted, {
        ...{ id, timing, gate },
        hasPaid: () => paid.has(meter),
      });
      const counting = withGenerate(retried, async (options) => {
        const answer = await retried.doGenerate(options);
        paid.add(meter);
        return answer;
      });
      if (!standby || standby.model === id) return counting;
      return withStandby(counting, {
        secondModel: () => modelOf(standby.model, { address, meter }, effort),
        answered: () => standby.note(`The model ${id} was away; ${standby.model} answered in its place.`),
      });
    }
    throw new TaskFailure('MODEL_UNAVAILABLE', `The model ${id} is not set up here; name another one.`);
  };
}

/** A model behind another owner's connection, or behind one that was stored anew, has limits of its own. */
const modelKeyOf = (id: string, { owner, since }: Pick<ConnectedModel, 'owner' | 'since'>): string =>
  [id, owner, since].filter((part) => part !== undefined).join(' ');

const readingCalls = (model: LanguageModelV4): LanguageModelV4 =>
  withGenerate(model, async (options) => {
    const answer = await model.doGenerate(options);
    const { withCallsFromText } = await import('./model-schema.ts');
    return withCallsFromText(options, answer);
  });

const withEffort = (model: LanguageModelV4, reasoning: ReasoningEffort): LanguageModelV4 =>
  withGenerate(model, (options) => model.doGenerate({ ...options, reasoning }));

/** What providers refused, for each model and connection that this process has asked. */
function refusalsOf(refusalsByModel: Map<string, Refusals>, modelKey: string): Refusals {
  const refusals: Refusals = refusalsByModel.get(modelKey) ?? new Set();
  refusalsByModel.set(modelKey, refusals);
  return refusals;
}

/**
 * Returns a check for models that accept images: those that the operator lists, or else those with known names. The
 * model that does not write never accepts images.
 */
export const visionSupport =
  (configured: readonly string[] | undefined, ownProfiles: OwnProfiles = {}) =>
  (id: string): boolean =>
    writesText(id) && (configured ? configured.includes(id) : profileOf(id, ownProfiles).vision);
