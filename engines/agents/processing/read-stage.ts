/**
 * Fetches and reads one batch of documents side by side and applies the named rules to each. A batch has a stage for each
 * of its documents, which ends as soon as one more of them is done: a slow document does not hold back what the others brought.
 */
import type { Stage, Work } from '../../../shared/tasks/agent.ts';
import { keepJson } from '../keep.ts';
import { handOn, type ProcessingState, takeUp } from './carried.ts';
import type { ProcessingSetting } from './ports.ts';
import { type Most, readDocument } from './read-document.ts';
import type { DocumentState } from './state.ts';

/** Of what is kept of all documents together, and of each. */
const MOST: Most = { values: 50_000, characters: 25_000_000 };
const MOST_EACH: Most = { values: 10_000, characters: 5_000_000 };

const mostOf = (documents: number): Most => ({
  values: Math.min(MOST_EACH.values, Math.floor(MOST.values / documents)),
  characters: Math.min(MOST_EACH.characters, Math.floor(MOST.characters / documents)),
});

export function readStages(setting: ProcessingSetting, batch: number[], isLast: boolean): Stage[] {
  const { ports, plan } = setting;
  let reading: Reading | undefined;
  return batch.map((_, before): Stage => {
    const isLastOfBatch = before === batch.length - 1;
    return {
      name: 'reading',
      // The end of a batch is kept at once, what is done before that within seconds.
      mayRepeat: !isLastOfBatch,
      async run(work, carried) {
        const known = await takeUp(ports, plan, carried);
        const pending = batch.filter((at) => known.documents[at]?.status === 'pending');
        // A worker that takes the task over in the middle of a batch reads what is still pending.
        reading ??= readPending(setting, work, pending);
        await reading.until(before + 1 - (batch.length - reading.size));
        const after = withRead(known, reading.done);
        return handOn(ports, work.address, { plan, known: after, stages: isLast && isLastOfBatch ? ['reading'] : [] });
      },
    };
  });
}

type ReadBatch = { state: DocumentState; textAt?: string };
type Reading = {
  size: number;
  done: ReadonlyMap<number, ReadBatch>;
  /** Resolves when so many are done; rejects when one of them fails the attempt. */
  until(count: number): Promise<void>;
};

function readPending(setting: ProcessingSetting, work: Work, pending: readonly number[]): Reading {
  const done = new Map<number, ReadBatch>();
  let failure: { cause: unknown } | undefined;
  let change = Promise.withResolvers<void>();
  const readOne = async (at: number): Promise<void> => {
    try {
      const request = { organization: work.address.organization, signal: work.signal };
      const inLine = () => setting.downloads.run(request, () => read(setting, work, at));
      done.set(at, await setting.ownDownloads.run(request, inLine));
    } catch (cause) {
      failure ??= { cause };
    }
    change.resolve();
    change = Promise.withResolvers();
  };
  for (const at of pending) void readOne(at);
  return {
    size: pending.length,
    done,
    async until(count) {
      while (done.size < count && !failure) await change.promise;
      if (failure) throw failure.cause;
    },
  };
}

async function read(
  { ports, plan, input }: ProcessingSetting,
  { address, signal }: Work,
  at: number,
): Promise<ReadBatch> {
  const { url = '', type = null } = plan.documents[at] ?? {};
  const most = mostOf(plan.documents.length);
  const { organization } = address;
  const ownHosts = input.ownHosts ?? [];
  const asked = { number: at + 1, url, type, rules: plan.rules, most, ownHosts, organization, signal };
  const { state, parts } = await readDocument(ports, asked);
  return parts && plan.instructions.length > 0 ? { state, textAt: await keepJson(ports, address, parts) } : { state };
}

function withRead(before: ProcessingState, done: ReadonlyMap<number, ReadBatch>): ProcessingState {
  const known = { ...before, documents: [...before.documents], texts: { ...before.texts } };
  for (const [at, { state, textAt }] of done) {
    known.documents[at] = state;
    if (textAt !== undefined) known.texts[at + 1] = textAt;
  }
  return known;
}
