/** Fetches and reads one batch of documents and applies the named rules to each. */
import type { Stage } from '../../../shared/tasks/agent.ts';
import { handOn, takeUp } from './carried.ts';
import { keepJson } from './keep.ts';
import type { Setting } from './ports.ts';
import { readDocument } from './read-document.ts';

/** Of all documents together. */
const MOST_VALUES = 50_000;
const MOST_VALUES_EACH = 10_000;

export const readStage = ({ ports, plan, input, places }: Setting, batch: number[], isLast: boolean): Stage => ({
  name: 'reading',
  async run({ address, signal, report }, carried) {
    const before = await takeUp(ports, plan, carried);
    const known = { ...before, documents: [...before.documents], texts: { ...before.texts } };
    const mostValues = Math.min(MOST_VALUES_EACH, Math.floor(MOST_VALUES / plan.documents.length));
    let done = 0;
    const readOne = async (at: number) => {
      const { url = '', type = null } = plan.documents[at] ?? {};
      const asked = {
        number: at + 1,
        url,
        type,
        rules: plan.rules,
        mostValues,
        ownHosts: input.ownHosts ?? [],
        signal,
      };
      const { state, parts } = await places(() => readDocument(ports, asked));
      known.documents[at] = state;
      if (parts && plan.instructions.length > 0) known.texts[at + 1] = await keepJson(ports, address, parts);
      report(++done / batch.length);
    };
    await Promise.all(batch.map(readOne));
    return handOn(ports, address, { plan, known, stages: isLast ? ['reading'] : [] });
  },
});
