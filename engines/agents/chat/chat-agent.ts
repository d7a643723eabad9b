/** The agent behind `input.type: "chat"`: reads what is attached, works through the workflows, answers. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { WorkflowStep } from '../../../shared/knowledge/workflow.ts';
import type { Blobs, Clock, Ids, Table } from '../../../shared/ports.ts';
import type { ChatInput } from '../../../shared/tasks/about.ts';
import type { Agent, Stage, Work } from '../../../shared/tasks/agent.ts';
import type { Result, Usage } from '../../../shared/tasks/result.ts';
import type { Documents } from '../../documents/documents.ts';
import { placesFor } from '../places.ts';
import { archived } from './archive.ts';
import { readAttached } from './attached-files.ts';
import type { Desk, DeskFile, SavedFile } from './desk.ts';
import { rulesetsOf } from './rulesets.ts';

export type ChatPorts = {
  table: Table;
  blobs: Blobs;
  clock: Clock;
  ids: Ids;
  documents: Documents;
  /** Throws a TaskFailure for a model that is not set up. */
  modelOf(id: string): Promise<LanguageModelV4>;
  /** Whether a model is shown the pictures among the files; the words in them are read for any. */
  sees(id: string): boolean;
};

/** What one step hands to the next. */
type Carried = { text: string; saved: SavedFile[]; usage: Usage };

/** Of the work of the first step; the rest is the model's. */
const READING_SHARE = 0.5;

/** Files in memory to be read, over all tasks. */
const FILES_AT_ONCE = 2;

export const chatAgent = (ports: ChatPorts): Agent => {
  const places = placesFor(FILES_AT_ONCE);
  return {
    stages(given) {
      const input = given as ChatInput;
      const steps: readonly (WorkflowStep | undefined)[] = input.steps.length > 0 ? input.steps : [undefined];
      // Read once, however many steps there are in this process.
      let reading: Promise<DeskFile[]> | undefined;
      const files = (work: Work) => {
        reading ??= readAttached(ports, {
          organization: work.address.organization,
          fileIds: input.fileIds,
          pictures: ports.sees(input.model),
          places,
          signal: work.signal,
          report: (share) => work.report(share * READING_SHARE),
        });
        return reading;
      };
      return steps.map((step, at): Stage => {
        const isLast = at === steps.length - 1;
        return {
          name: step ? step.name : 'answering',
          async run(work, carried) {
            const done = await worked(ports, {
              work,
              input,
              step,
              files: await files(work),
              before: carried as Carried,
            });
            return isLast ? resultOf(ports, work, done) : done;
          },
        };
      });
    },
  };
};

let loaded: Promise<typeof import('./work-through.ts')> | undefined;

/** The library of models costs more start-up than all the rest: only a process that runs a task pays it, and once. */
function library() {
  loaded ??= import('./work-through.ts');
  return loaded;
}

type Step = { work: Work; input: ChatInput; step: WorkflowStep | undefined; files: DeskFile[]; before?: Carried };

async function worked(ports: ChatPorts, { work, input, step, files, before }: Step): Promise<Carried> {
  const model = await ports.modelOf(input.model);
  const { workThrough } = await library();
  const saved = new Map(before?.saved.map((file) => [file.name, file]));
  const rulesets = await rulesetsOf(ports.table, work.address.organization, input.rulesets);
  const desk: Desk = { files, rulesets, saved };
  const answered = await workThrough({
    model,
    desk,
    ...(step ? { request: step.instruction, wholeTask: input.prompt } : { request: input.prompt }),
    ...(before ? { handedOn: before.text } : {}),
    signal: work.signal,
  });
  const spent = before?.usage ?? { model: input.model, inputTokens: 0, outputTokens: 0 };
  const usage = {
    model: input.model,
    inputTokens: spent.inputTokens + answered.usage.inputTokens,
    outputTokens: spent.outputTokens + answered.usage.outputTokens,
  };
  return { text: answered.text, saved: [...saved.values()], usage };
}

async function resultOf(ports: ChatPorts, { address }: Work, { text, saved, usage }: Carried): Promise<Result> {
  return saved.length === 0 ? { text, usage } : { text, usage, archive: await archived(ports, address, saved) };
}
