/**
 * The stages that fill the record of a chat task with a schema: labels and tables of its files first, then the model, one
 * file at a time. The record of the task combines all files.
 */

import type { DocumentPart } from '../../engines/documents/document.ts';
import type { Documents } from '../../engines/documents/documents.ts';
import { PASSAGES_ONLY } from '../../engines/models/keyless.ts';
import type { ModelOf } from '../../engines/models/models.ts';
import { writesText } from '../../shared/accounts/models.ts';
import type { DocumentRecord } from '../../shared/agents/results/records.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { quotedName } from '../../shared/core/warnings.ts';
import type { Blobs, Clock, Ids, Table } from '../../shared/ports.ts';
import type { Stage, Work } from '../../shared/tasks/agent.ts';
import { type ChatInput, withWarnings } from '../../shared/tasks/details.ts';
import { effectiveSchema } from '../../shared/tasks/output-schema.ts';
import type { Result } from '../../shared/tasks/results.ts';
import { TaskFailure } from '../../shared/tasks/task-failure.ts';
import { type ApplyRule, ruleApplier } from '../apply-rule.ts';
import { type Checkpoint, jsonFile, resumeState, shortenedResults, storeState } from '../checkpoints.ts';
import type { PromptPicture } from '../generate-answer.ts';
import { tableOf } from '../processing/write-results.ts';
import { recordTask, type StepResult } from '../prompts/chat.ts';
import { PROCESSING_PROMPT } from '../prompts/processing.ts';
import { fillRecord } from '../records/fill-record.ts';
import { finishRecord } from '../records/finish-record.ts';
import { listOfRecords, recordsOfRows, rowsPlan } from '../records/list-of-records.ts';
import { mergedFindings } from '../records/merge-findings.ts';
import { listedPaths, planOfChecked, withFewerFields } from '../records/record-plan.ts';
import { restoredFindings, type StoredFindings } from '../records/stored-findings.ts';
import { testPatternsBy } from '../records/test-patterns.ts';
import { unusableNotes } from '../structured-answer.ts';
import { verifierOf } from '../verification/verifier.ts';
import { fileWriter } from '../write-files.ts';
import { joinedParts } from './document-pages.ts';
import { rulesetsOf } from './rulesets.ts';
import { deliveredSteps, stepFiles, withSteps } from './step-results.ts';
import { storeArchive } from './store-archive.ts';
import { type SavedFile, shownPictures, type WorkspaceFile, warningsOf } from './workspace.ts';

type RecordPorts = {
  table: Table;
  blobs: Blobs;
  clock: Clock;
  ids: Ids;
  documents: Documents;
  modelOf: ModelOf;
  /** Returns true if the model accepts images. */
  acceptsImages(id: string): boolean;
  /** How many tokens of a document the model is shown whole; without it, the usual number. */
  wholeTokens?(id: string): number;
};

/** The result of the workflow steps: the last text, and all saved files. */
export type StepsDone = { text: string; saved: SavedFile[]; promptVersion?: string; warnings?: string[] };

/** A file of the task, or its prompt if it has none. `isTable`: its rows are the records of a list. */
type FileFindings = {
  findings: StoredFindings;
  isTable?: true /** It took too long to be searched. */;
  isTooSlow?: true;
};
type RecordedDocument = FileFindings & { name: string; fileId: string | null };
type RecordState = { steps: StepsDone | undefined; documents: RecordedDocument[]; unusable: number; wasAsked?: true };

type RecordSetting = {
  ports: RecordPorts;
  input: ChatInput;
  /** Runs with the task's files in memory. */
  withFiles: <T>(work: Work, run: (files: WorkspaceFile[]) => Promise<T>) => Promise<T>;
  /** The results of the workflow's steps, from the state after the last one. */
  resultsOfSteps: (steps: StepsDone) => StepResult[];
};
type Setting = RecordSetting & ReturnType<typeof planOfChecked>;

/** The first stage starts with the state after the last step, if there was one. */
export function chatRecordStages(recordSetting: RecordSetting): Stage[] {
  const { input } = recordSetting;
  const setting = { ...recordSetting, ...planOfChecked(input.outputSchema, input.accept) };
  const documents = Array.from({ length: Math.max(1, input.fileIds.length) }, (_, at) => at);
  return [
    readStage(setting),
    ...(writesText(input.model) ? documents.map((at) => askStage(setting, at)) : []),
    writeStage(setting),
  ];
}

const resume = ({ ports }: Setting, carried: unknown): Promise<RecordState> =>
  resumeState(ports, carried, (): RecordState => ({ steps: undefined, documents: [], unusable: 0 }));

async function checkpoint({ ports }: Setting, { address }: Work, state: RecordState): Promise<Checkpoint<RecordState>> {
  return { known: await storeState(ports, address, state) };
}

type ReadDocument = { name: string; fileId: string | null; parts: DocumentPart[]; pictures?: PromptPicture[] };

/** Without files, the prompt is the document. */
const documentsOf = ({ ports, input }: Setting, files: readonly WorkspaceFile[]): ReadDocument[] =>
  files.length > 0
    ? files.map((file, at) => ({
        name: file.name,
        fileId: input.fileIds[at] ?? null,
        parts: joinedParts(file.pages),
        pictures: shownPictures(file),
      }))
    : [
        {
          name: 'prompt',
          fileId: null,
          parts: ports.documents.readText({ bytes: Buffer.from(input.prompt), name: 'prompt.txt' })?.parts ?? [
            { label: 'prompt', text: input.prompt },
          ],
        },
      ];

type DocumentContext = { work: Work; document: ReadDocument; at: number };

const applierFor = ({ ports }: Setting, { address: { organization }, signal }: Work): ApplyRule =>
  ruleApplier(ports.documents, { organization, signal });

/** Extracts from labels and tables, without a model. */
const readStage = (setting: Setting): Stage => ({
  name: 'reading',
  async run(work, carried) {
    const steps = carried as StepsDone | undefined;
    const documents = await setting.withFiles(work, async (files) => {
      const recordedDocuments: RecordedDocument[] = [];
      const readDocuments = documentsOf(setting, files);
      for (const [at, document] of readDocuments.entries()) {
        const fileFindings = await findingsOf(setting, { work, document, at });
        recordedDocuments.push({ name: document.name, fileId: document.fileId, ...fileFindings });
        work.report((at + 1) / readDocuments.length);
      }
      return recordedDocuments;
    });
    return checkpoint(setting, work, { steps, documents, unusable: 0 });
  },
});

/** In a list, each row of a document that is a table is a record. */
async function findingsOf(setting: Setting, { work, document: { parts }, at }: DocumentContext): Promise<FileFindings> {
  const { plan, list } = setting;
  const applyRule = applierFor(setting, work);
  const { findings, rows, isTooSlow } = await fillRecord({ plan, list, parts, document: at + 1, applyRule });
  if (isTooSlow) return { findings, isTooSlow };
  return rows ? { findings: rows, isTable: true } : { findings };
}

/** Asks the model for the fields of one file that labels and tables do not contain. */
const askStage = (setting: Setting, at: number): Stage => ({
  name: 'asking',
  async run(work, carried) {
    const { ports, input, plan, list } = setting;
    const state = await resume(setting, carried);
    const { isTable, isTooSlow } = state.documents[at] ?? {};
    if (isTooSlow) return checkpoint(setting, work, state);
    const model = await ports.modelOf(input.model, work, input.reasoningEffort);
    if (!model) return checkpoint(setting, work, state);
    const verifier = await verifierOf(
      { modelOf: ports.modelOf, effort: input.reasoningEffort, answeredBy: input.model },
      input.verifyModel,
      work,
    );
    const task = await taskOf(setting, work, state);
    try {
      return await setting.withFiles(work, async (files) => {
        const document = documentsOf(setting, files)[at];
        if (!document) throw new Error('A file of the task is not among those that were read.');
        const { name, fileId, parts, pictures = [] } = document;
        const { findings, calls, unusable } = await fillRecord({
          plan: isTable && list ? rowsPlan(list, plan.accept) : plan,
          parts,
          document: at + 1,
          applyRule: applierFor(setting, work),
          question: {
            model,
            verifier,
            verifierAcceptsImages: input.verifyModel !== undefined && ports.acceptsImages(input.verifyModel),
            wholeTokens: ports.wholeTokens?.(input.model),
            name,
            now: ports.clock.now(),
            signal: work.signal,
            task,
            pictures,
          },
        });
        const documents = state.documents.with(at, { name, fileId, findings, ...(isTable ? { isTable } : {}) });
        return checkpoint(setting, work, {
          ...state,
          documents,
          unusable: state.unusable + unusable,
          ...(calls > 0 ? { wasAsked: true } : {}),
        });
      });
    } catch (error) {
      if (!(error instanceof TaskFailure) || error.code !== 'BUDGET_EXCEEDED') throw error;
      const { missing: _, ...written } = await writeRecord(setting, work, state);
      throw new TaskFailure(error.code, error.message, { partial: partialOf(written) });
    }
  },
});

/** Omits the prompt where the prompt itself is the document. */
async function taskOf({ ports, input, resultsOfSteps }: Setting, { address }: Work, { steps }: RecordState) {
  const { rulesets, prompt, fileIds } = input;
  const texts = recordTask({
    prompt,
    rulesets: await rulesetsOf(ports.table, address.organization, rulesets),
    earlier: steps ? resultsOfSteps(steps) : [],
  });
  return fileIds.length > 0 ? texts : texts.slice(1);
}

const writeStage = (setting: Setting): Stage => ({
  name: 'writing',
  async run(work, carried): Promise<Result> {
    const { missing, ...result } = await writeRecord(setting, work, await resume(setting, carried));
    if (setting.input.onMissing !== 'fail' || missing.length === 0) return result;
    const paths = listedPaths(missing);
    throw new TaskFailure('PROCESSING_FAILED', `No value was found for ${paths}. The partial record is kept.`, {
      partial: partialOf(result),
    });
  },
});

type Written = Required<Pick<Result, 'text' | 'archive' | 'record'>> &
  Pick<Result, 'steps' | 'promptVersion' | 'warnings'> & { missing: string[] };

const partialOf = ({ text, archive, record, steps }: Omit<Written, 'missing'>) => ({
  text,
  archive,
  record,
  ...definedFields({ steps }),
});

/** Completes the record of all files and stores it with the files that the steps saved. */
async function writeRecord(setting: Setting, work: Work, state: RecordState): Promise<Written> {
  const { ports, input, plan, list, resultsOfSteps } = setting;
  const { steps, documents } = state;
  const stepsDone = deliveredSteps(input, steps ? resultsOfSteps(steps) : []);
  const request = { organization: work.address.organization, signal: work.signal };
  const testPatterns = testPatternsBy(ports.documents, request);
  const write = fileWriter(ports.documents, request);
  const finishedRecord = (sources: readonly RecordedDocument[], recordPlan = plan) =>
    finishRecord(
      { plan: recordPlan, testPatterns },
      mergedFindings(
        recordPlan,
        sources.map(({ findings }) => restoredFindings(recordPlan, findings)),
      ),
    );
  const allRecords: (DocumentRecord & { document: number; name: string; url: string })[] = [];
  for (const [at, recorded] of documents.entries()) {
    const { name, fileId } = recorded;
    const file = { document: at + 1, name, url: fileId === null ? '' : `/files/${fileId}` };
    const records =
      recorded.isTable && list
        ? recordsOfRows(await finishedRecord([recorded], rowsPlan(list, plan.accept)))
        : [await finishedRecord([recorded])];
    allRecords.push(...records.map((record) => ({ ...file, ...record })));
  }
  const rows = allRecords.slice(0, list?.maxItems);
  const records = rows.map(({ url: _, ...row }) => row);
  const whole = list
    ? listOfRecords(list, records, faultOfRecords(documents, rows.length < allRecords.length))
    : await finishedRecord(documents);
  const about = {
    schema: effectiveSchema(list ?? plan.schema),
    documents: documents.map(({ name, fileId }, at) => ({ document: at + 1, fileId, name })),
  };
  const outputOf = (record: DocumentRecord<unknown>) => ({ ...record, ...about });
  const files = [
    jsonFile({ ...outputOf(whole), ...(records.length > 1 ? { records } : {}) }, 'data'),
    ...(await write('recordFiles', { schema: effectiveSchema(plan.schema), records: rows })),
  ].map(({ name, bytes }): SavedFile => ({ name, text: '', base64: Buffer.from(bytes).toString('base64') }));
  const names = new Set(files.map(({ name }) => name));
  const stepsFiles = (steps?.saved ?? []).map((file) =>
    names.has(file.name) ? { ...file, name: `steps-${file.name}` } : file,
  );
  const promptVersion = state.wasAsked ? PROCESSING_PROMPT : steps?.promptVersion;
  return {
    text: [...(steps?.text ? [steps.text] : []), recordText(whole, about.documents)].join('\n\n'),
    ...withSteps(stepsDone),
    archive: await storeArchive(ports, work, [...stepsFiles, ...stepFiles(stepsDone, stepsFiles), ...files]),
    record: shortenedResults(outputOf(whole), (limit) => outputOf(withFewerFields<unknown>(whole, limit))),
    ...(promptVersion === undefined ? {} : { promptVersion }),
    ...withWarnings(recordWarnings(setting, state, whole)),
    missing: whole.missing,
  };
}

const recordWarnings = (
  setting: Setting,
  { steps, documents, unusable }: RecordState,
  whole: DocumentRecord<unknown>,
): string[] => [
  ...missingModelWarning(setting, whole),
  ...warningsOf(steps?.saved ?? []),
  ...(steps?.warnings ?? []),
  ...slowNotes(documents),
  ...unusableNotes(unusable),
];

const missingModelWarning = ({ input }: Setting, { complete }: DocumentRecord<unknown>): string[] =>
  complete || writesText(input.model) ? [] : [PASSAGES_ONLY];

const slowNotes = (documents: readonly RecordedDocument[]): string[] =>
  documents.flatMap(({ name, isTooSlow }) =>
    isTooSlow ? [`${quotedName(name)} took too long to be searched: the record has no values from it.`] : [],
  );

/** Why a list of records is incomplete; the first table may contain the reason. */
function faultOfRecords(documents: readonly RecordedDocument[], isCut: boolean): string | undefined {
  const [tableFault] = documents.flatMap(({ isTable: hasRows, findings }) =>
    hasRows ? findings.lists.flatMap(({ fault }) => fault ?? []) : [],
  );
  return tableFault ?? (isCut ? 'The documents have more records than are taken.' : undefined);
}

const MAX_ROWS = 50;

/** The record as readable text. */
function recordText(
  { fields, complete, missing }: DocumentRecord<unknown>,
  documents: readonly { name: string }[],
): string {
  const rows = fields.slice(0, MAX_ROWS).map(({ path, value, status, basis: [basis], reason }) => {
    const name = documents[(basis?.document ?? 0) - 1]?.name;
    return [
      path,
      value === null ? '' : String(value),
      status,
      value !== null && basis ? `${name}, ${basis.place}` : reason,
    ];
  });
  const lacking = missing.length > 0 ? `Fields without a value: ${missing.length}.` : 'Not all records are taken.';
  return [
    complete ? 'Every wanted field has a value.' : lacking,
    tableOf([['Field', 'Value', 'Status', 'Where, or why not'], ...rows]),
    ...(fields.length > MAX_ROWS ? [`${fields.length - MAX_ROWS} more fields stand in data.json.`] : []),
  ].join('\n\n');
}
