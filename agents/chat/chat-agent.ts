/** The agent behind `input.type: "chat"`: reads the attached files, works through the workflows, answers. */
import { getHeapStatistics } from 'node:v8';
import type { Documents } from '../../engines/documents/documents.ts';
import type { ModelOf } from '../../engines/models/models.ts';
import { type Semaphore, semaphore } from '../../shared/core/semaphore.ts';
import type { WorkflowStep } from '../../shared/knowledge/knowledge.ts';
import type { Blobs, Clock, Ids, Table } from '../../shared/ports.ts';
import type { Agent, Stage, Work } from '../../shared/tasks/agent.ts';
import type { ChatInput } from '../../shared/tasks/details.ts';
import type { Result } from '../../shared/tasks/results.ts';
import { readAttached } from './attached-files.ts';
import { archived, type DeskFile, keptFiles, rulesetsOf, type SavedFile, type Workspace } from './workspace.ts';

export type ChatPorts = {
  table: Table;
  blobs: Blobs;
  clock: Clock;
  ids: Ids;
  documents: Documents;
  modelOf: ModelOf;
  /** Whether a model is shown the pictures among the files; the words in them are read for any. */
  sees(id: string): boolean;
};

/** What one step hands to the next. */
type Carried = { text: string; saved: SavedFile[] };

/** Of the work of the first step; the rest is the model's. */
const READING_SHARE = 0.5;

/** Characters take a byte or two, and looking for something in them takes as much again. */
const HEAP_BYTES_EACH = 8;
const mostCharacters = (): number => Math.floor(getHeapStatistics().heap_size_limit / HEAP_BYTES_EACH);

const withNone = <T>(_: Work, run: (files: DeskFile[]) => Promise<T>): Promise<T> => run([]);

/** `memory` bounds what chats of this process hold of files, in characters. */
const chatMemory = (): Semaphore => semaphore({ name: 'chatMemory', capacity: mostCharacters() });

export const chatAgent = (ports: ChatPorts, memory = chatMemory()): Agent => {
  return {
    stages(given) {
      const input = given as ChatInput;
      const steps: readonly (WorkflowStep | undefined)[] = input.steps.length > 0 ? input.steps : [undefined];
      const { fileIds } = input;
      const read = (work: Work) =>
        readAttached(ports, {
          organization: work.address.organization,
          fileIds,
          pictures: ports.sees(input.model),
          memory,
          signal: work.signal,
          report: (share) => work.report(share * READING_SHARE),
        });
      const withFiles = fileIds.length > 0 ? keptFiles(memory, read) : withNone;
      return steps.map((step, at): Stage => {
        const isLast = at === steps.length - 1;
        return {
          name: step ? step.name : 'answering',
          async run(work, carried) {
            const before = carried as Carried;
            const done = await withFiles(work, (files) => worked(ports, { work, input, step, files, before }));
            return isLast ? resultOf(ports, work, done) : done;
          },
        };
      });
    },
  };
};

let loaded: Promise<typeof import('./model-loop.ts')> | undefined;

/** The library of models costs more start-up than all the rest: only a process that runs a task pays it, and once. */
function library() {
  loaded ??= import('./model-loop.ts');
  return loaded;
}

type Step = { work: Work; input: ChatInput; step: WorkflowStep | undefined; files: DeskFile[]; before?: Carried };

async function worked(ports: ChatPorts, { work, input, step, files, before }: Step): Promise<Carried> {
  const model = await ports.modelOf(input.model, work);
  const { workThrough } = await library();
  const saved = new Map(before?.saved.map((file) => [file.name, file]));
  const rulesets = await rulesetsOf(ports.table, work.address.organization, input.rulesets);
  const desk: Workspace = { files, rulesets, saved };
  const text = await workThrough({
    model,
    desk,
    ...(step ? { request: step.instruction, wholeTask: input.prompt } : { request: input.prompt }),
    ...(before ? { handedOn: before.text } : {}),
    signal: work.signal,
  });
  return { text, saved: [...saved.values()] };
}

async function resultOf(ports: ChatPorts, { address }: Work, { text, saved }: Carried): Promise<Result> {
  return saved.length === 0 ? { text } : { text, archive: await archived(ports, address, saved) };
}
