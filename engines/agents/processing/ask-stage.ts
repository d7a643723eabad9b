/** Puts the instructions to the model, for one batch of documents. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Stage } from '../../../shared/tasks/agent.ts';
import type { Part } from '../../documents/document.ts';
import { OFFLINE } from '../../model/offline.ts';
import { readJson } from '../keep.ts';
import type { DocumentAnswers } from './answered.ts';
import { askModel } from './ask-model.ts';
import { askOffline } from './ask-offline.ts';
import { handOn, type ProcessingState, takeUp } from './carried.ts';
import { checkUsable } from './check-usable.ts';
import type { ProcessingSetting } from './ports.ts';
import { isProcessed, type Processed } from './state.ts';

export const askStage = ({ ports, plan, input }: ProcessingSetting, batch: number[], isLast: boolean): Stage => ({
  name: 'asking',
  async run(work, carried) {
    const { address, signal, report } = work;
    const before = await takeUp(ports, plan, carried);
    checkUsable(before.documents);
    const model = await ports.modelOf(input.model, work);
    const known = { ...before, documents: [...before.documents], texts: { ...before.texts } };
    for (const [done, at] of batch.entries()) {
      const document = known.documents[at];
      const textAt = known.texts[at + 1];
      if (document && isProcessed(document) && textAt !== undefined) {
        const parts = await readJson<Part[]>(ports, textAt);
        const answered = await askAbout({ model, name: document.name, parts, instructions: plan.instructions, signal });
        note(known, { at, document, answered, instructions: plan.instructions.length });
      }
      delete known.texts[at + 1];
      report((done + 1) / batch.length);
    }
    return handOn(ports, address, { plan, known, stages: isLast ? ['reading', 'asking'] : ['reading'] });
  },
});

type About = { model: LanguageModelV4; name: string; parts: Part[]; instructions: string[]; signal: AbortSignal };

const askAbout = async (about: About): Promise<DocumentAnswers> =>
  about.model.provider === OFFLINE ? askOffline(about.name, about.parts, about.instructions) : askModel(about);

type Noted = { at: number; document: Processed; answered: DocumentAnswers; instructions: number };

function note(known: ProcessingState, { at, document, answered, instructions }: Noted): void {
  const { values, calls, share } = answered;
  known.documents[at] = {
    ...document,
    values: [...document.values, ...values],
    asked: Array.from({ length: instructions }, () => share),
  };
  known.queries += calls;
}
