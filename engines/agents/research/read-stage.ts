/** Reads one batch of the chosen documents and notes what they say. */
import type { Stage, Work } from '../../../shared/tasks/agent.ts';
import { isOffline, OFFLINE } from '../../model/offline.ts';
import { handOn, takeUp } from './carried.ts';
import { pacer } from './pace.ts';
import type { ResearchSetting } from './ports.ts';
import { takeIn } from './proposed.ts';
import { readByModel } from './read-model.ts';
import { readOffline } from './read-offline.ts';
import type { Chosen, ResearchState } from './state.ts';

const BEFORE = ['planning', 'gathering', 'ranking'];

type Batch = { from: number; to: number; isLast: boolean };

export const readStage = (setting: ResearchSetting, { from, to, isLast }: Batch): Stage => ({
  name: 'reading',
  mayRepeat: isOffline(setting.input.model),
  async run(work, carried) {
    const { address } = work;
    const known = await takeUp(setting, carried);
    const batch = known.documents.slice(from, to);
    if (batch.length > 0) await readBatch(setting, { known, batch, work });
    return handOn(setting, address, { known, stages: isLast ? [...BEFORE, 'reading'] : BEFORE });
  },
});

type Reading = { known: ResearchState; batch: readonly Chosen[]; work: Work };

async function readBatch({ ports, wish, input }: ResearchSetting, { known, batch, work }: Reading): Promise<void> {
  const { signal } = work;
  const model = await ports.modelOf(input.model, work);
  const asked = { wish, known, batch, model };
  const byModel = model.provider === OFFLINE ? undefined : await readByModel(asked, signal);
  // Where a model's answer cannot be used, the documents still speak for themselves.
  const proposed = byModel ?? (await readOffline(wish, { known, batch, pace: pacer(signal) }));
  takeIn(known, proposed, wish);
  for (const document of batch) document.status = 'read';
}
