/** Fetches and reads one batch of documents and applies the named rules to each. */
import type { Stage } from '../../../shared/tasks/agent.ts';
import { keepJson } from '../keep.ts';
import { handOn, takeUp } from './carried.ts';
import type { Setting } from './ports.ts';
import { type Most, readDocument } from './read-document.ts';

/** Of what is kept of all documents together, and of each. */
const MOST: Most = { values: 50_000, characters: 25_000_000 };
const MOST_EACH: Most = { values: 10_000, characters: 5_000_000 };

const mostOf = (documents: number): Most => ({
  values: Math.min(MOST_EACH.values, Math.floor(MOST.values / documents)),
  characters: Math.min(MOST_EACH.characters, Math.floor(MOST.characters / documents)),
});

export const readStage = (
  { ports, plan, input, downloads, ownDownloads }: Setting,
  batch: number[],
  isLast: boolean,
): Stage => ({
  name: 'reading',
  async run({ address, signal, report }, carried) {
    const before = await takeUp(ports, plan, carried);
    const known = { ...before, documents: [...before.documents], texts: { ...before.texts } };
    const most = mostOf(plan.documents.length);
    const request = { organization: address.organization, signal };
    let done = 0;
    const readOne = async (at: number) => {
      const { url = '', type = null } = plan.documents[at] ?? {};
      const asked = {
        number: at + 1,
        url,
        type,
        rules: plan.rules,
        most,
        ownHosts: input.ownHosts ?? [],
        ...request,
      };
      const read = () => downloads.run(request, () => readDocument(ports, asked));
      const { state, parts } = await ownDownloads.run(request, read);
      known.documents[at] = state;
      if (parts && plan.instructions.length > 0) known.texts[at + 1] = await keepJson(ports, address, parts);
      report(++done / batch.length);
    };
    await Promise.all(batch.map(readOne));
    return handOn(ports, address, { plan, known, stages: isLast ? ['reading'] : [] });
  },
});
