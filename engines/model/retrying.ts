/** Tries a model's call again when it failed for a passing reason, with growing waits; then says so clearly. */
import { APICallError, type LanguageModelV4 } from '@ai-sdk/provider';
import { TaskFailure } from '../../shared/tasks/agent.ts';

const MOST_TRIES = 4;
const FIRST_WAIT_MS = 1_000;
const MOST_WAIT_MS = 30_000;
/** Asked for too much, or for what is not there: another try gets the same answer. */
const LASTING = new Set([400, 401, 403, 404, 405, 413, 415, 422]);

export type Patience = {
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 to 1: callers that failed together do not come again together. */
  chance(): number;
};

/** `id` is what callers name it by. */
export const retrying = (model: LanguageModelV4, id: string, patience: Patience): LanguageModelV4 => ({
  specificationVersion: 'v4',
  provider: model.provider,
  modelId: model.modelId,
  supportedUrls: model.supportedUrls,
  doStream: (options) => model.doStream(options),
  async doGenerate(options) {
    for (let tries = 1; ; tries++) {
      try {
        return await model.doGenerate(options);
      } catch (error) {
        if (options.abortSignal?.aborted) throw error;
        if (tries === MOST_TRIES || isLasting(error)) throw unavailable(id, error);
        await patience.wait(waitBefore(tries, error, patience.chance()), options.abortSignal);
      }
    }
  },
});

const isLasting = (error: unknown): boolean => APICallError.isInstance(error) && LASTING.has(error.statusCode ?? 0);

/** The provider's own word counts, within bounds. */
function waitBefore(tries: number, error: unknown, chance: number): number {
  const planned = FIRST_WAIT_MS * 2 ** (tries - 1) * (0.5 + chance);
  const asked = APICallError.isInstance(error) ? Number(error.responseHeaders?.['retry-after']) * 1_000 : Number.NaN;
  return Math.min(MOST_WAIT_MS, Number.isFinite(asked) ? Math.max(planned, asked) : planned);
}

function unavailable(id: string, cause: unknown): TaskFailure {
  const status = APICallError.isInstance(cause) ? cause.statusCode : undefined;
  const lasting = isLasting(cause);
  const why = status === undefined ? 'did not answer' : `answered with status ${status}`;
  const remedy = lasting
    ? 'name another model, or ask the operator to look at its settings'
    : 'submit the task again later';
  return new TaskFailure('MODEL_UNAVAILABLE', `The model ${id} ${why}; ${remedy}.`, {
    cause,
    mayPass: !lasting,
  });
}
