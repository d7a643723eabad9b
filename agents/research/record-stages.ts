/** The stages that fill the record of a research with a schema, from the documents that were read: labels and tables first, then the model. */

import type { ReportBlock, ReportSection } from '../../engines/reports/report-document.ts';
import type { DocumentRecord } from '../../shared/agents/results/records.ts';
import type { ResearchResults } from '../../shared/agents/results/research.ts';
import type { Stage } from '../../shared/tasks/agent.ts';
import { effectiveSchema } from '../../shared/tasks/output-schema.ts';
import type { Result } from '../../shared/tasks/results.ts';
import { TaskFailure } from '../../shared/tasks/task-failure.ts';
import type { RecordRows } from '../processing/record-tables.ts';
import { nameKey } from '../records/compare-values.ts';
import { fillRecord } from '../records/fill-record.ts';
import { finishRecord } from '../records/finish-record.ts';
import { findingsOfRows, listOfRecords, recordsOfList, rowsPlan } from '../records/list-of-records.ts';
import { entityKey, keyField, mergedEntities, namesEntity } from '../records/merge-entities.ts';
import { mergedFindings, setAside } from '../records/merge-findings.ts';
import type { RecordFindings } from '../records/record-findings.ts';
import { listedPaths, type RecordPlan } from '../records/record-plan.ts';
import { restoredFindings, storedFindings } from '../records/stored-findings.ts';
import { testPatternsBy } from '../records/test-patterns.ts';
import { verifierOf } from '../verification/verifier.ts';
import { documentParts } from './file-parts.ts';
import { countAnswers } from './model-calls.ts';
import type { NotedState } from './pipeline-states.ts';
import type { ReportTexts } from './report-texts.ts';
import type { ChosenDocument, RecordedDocument, RequestedRecord, ResearchRequest } from './research-request.ts';
import { mainModel, type ResearchSetting, type StageRun, stageOf, stagesTo } from './stages.ts';

const ASKED_AT_ONCE = 5;

/** None without a schema. Each ends with the record so far, which is what a task that is cut short has. */
export function researchRecordStages(setting: ResearchSetting): Stage[] {
  const { request } = setting;
  const { record } = request;
  if (!record) return [];
  const batches = Math.ceil(request.depth.documents / ASKED_AT_ONCE);
  return [
    recordStage(setting, (state, run) => findAll(state, run, record)),
    ...(!request.hasModel
      ? []
      : Array.from({ length: batches }, (_, at) =>
          recordStage(setting, (state, run) => askBatch(state, run, { record, at })),
        )),
  ];
}

/** What the files of the record show, with its evidence. */
export function rowsOfRecord(
  request: ResearchSetting['request'],
  { record, documents }: ResearchResults,
): RecordRows | undefined {
  if (!request.record || !record) return undefined;
  const { plan, list } = request.record;
  const sources = documents.map(({ document, title, address }) => ({ document, name: title, url: address }));
  const withSource = (record: DocumentRecord) => {
    const document = record.fields.find(({ value }) => value !== null)?.basis[0]?.document ?? 0;
    return {
      ...(sources.find((source) => source.document === document) ?? { document, name: '', url: '' }),
      ...record,
    };
  };
  const records = list ? recordsOfList(record) : [record as DocumentRecord];
  return { schema: effectiveSchema(plan.schema), records: records.map(withSource), sources };
}

const MAX_ROWS = 200;
/** Written beside every report of a research with a record. */
const RECORD_FILE = 'records.xlsx';

/** The record as the last section of the report, each value with its sources. */
export function recordSection({ record }: ResearchResults, texts: ReportTexts): ReportSection[] {
  if (!record) return [];
  const rows = record.fields.slice(0, MAX_ROWS).map(({ path, value, status, basis, reason }) => {
    const citations = [...new Set(basis.map(({ document }) => document))];
    const valueCell = value === null ? { text: '' } : { text: String(value), citations };
    return [
      { text: path },
      valueCell,
      { text: value === null ? `${texts.statuses[status]}: ${reason}` : texts.statuses[status] },
    ];
  });
  const rowsLeft = record.fields.length - rows.length;
  const remark = rowsLeft > 0 ? { remark: texts.rowsLeft(rowsLeft, RECORD_FILE) } : {};
  const columns = texts.recordColumns.map((heading) => ({ heading }));
  const block: ReportBlock = { kind: 'table', columns, rows, ...remark };
  return [{ heading: texts.recordTitle, blocks: rows.length > 0 ? [block] : [] }];
}

/** Fails a task that is not to end with gaps, once everything is written: that is its partial result. */
export const completeStage = (): Stage => ({
  name: 'writing',
  async run(_, carried) {
    const { report } = carried as Result;
    const { record } = (report?.results ?? {}) as Partial<ResearchResults>;
    if (!record || record.missing.length === 0) return carried;
    throw new TaskFailure(
      'PROCESSING_FAILED',
      `No value was found for ${listedPaths(record.missing)}. The results have the partial record.`,
    );
  },
});

type RecordedState = NotedState & { recorded: RecordedDocument[] };

/** `record` returns the state that it gets if there is nothing to do. */
const recordStage = (
  setting: ResearchSetting,
  record: (state: NotedState, run: StageRun) => Promise<NotedState>,
): Stage =>
  stageOf(setting, {
    name: 'reading',
    before: stagesTo('reading'),
    after: stagesTo('reading'),
    async next(state: NotedState, run) {
      const recorded = await record(state, run);
      return recorded === state ? state : withRecord(recorded, run);
    },
  });

const requestOf = ({ applyRule }: StageRun, document: ChosenDocument) => ({
  parts: documentParts(document),
  document: document.document,
  applyRule,
});

/** What labels and tables of the documents give. Needs no model. */
async function findAll(state: NotedState, run: StageRun, { plan, list }: RequestedRecord): Promise<RecordedState> {
  const recorded: RecordedDocument[] = [];
  const readDocuments = state.documents.filter(({ status, text }) => status === 'read' && text.trim() !== '');
  for (const source of readDocuments) {
    const request = requestOf(run, source);
    const { document } = request;
    const filled = await fillRecord({ ...request, plan, list });
    if (list && filled.rows) {
      const rows = restoredFindings(rowsPlan(list, plan.accept), filled.rows);
      recorded.push({ document, records: findingsOfRows(plan, rows).map(storedFindings), ...cutOf(rows) });
    } else recorded.push({ document, records: [filled.findings] });
  }
  return { ...state, recorded };
}

const cutOf = ({ lists: [list] }: RecordFindings): Pick<RecordedDocument, 'rows'> => ({
  rows: list?.fault === undefined ? 'all' : 'cut',
});

/** Asks the model for what labels and tables leave open in some documents, side by side. */
async function askBatch(
  state: NotedState,
  run: StageRun,
  batch: { record: RequestedRecord; at: number },
): Promise<NotedState> {
  const { recorded = [] } = state;
  const { record, at } = batch;
  const open = recorded.filter(({ rows }) => rows === undefined).slice(at * ASKED_AT_ONCE, (at + 1) * ASKED_AT_ONCE);
  if (open.length === 0) return state;
  const { ports, input, request, work, calls } = run;
  const model = await mainModel(run);
  if (!model) return state;
  const verifier = await verifierOf(
    { modelOf: ports.modelOf, effort: input.asked.reasoning_effort, answeredBy: input.model },
    input.verifyModel,
    work,
  );
  const task = [`Task:\n${JSON.stringify({ question: request.query })}`];
  const answered = await Promise.all(
    open.map(async (before): Promise<RecordedDocument> => {
      const source = state.documents.find(({ document }) => document === before.document);
      if (!source) return before;
      const { signal } = work;
      const onAnswer = countAnswers(calls, 'read');
      const wholeTokens = ports.wholeTokens?.(input.model);
      const about = { model, name: source.title, now: ports.clock.now(), signal, task, wholeTokens };
      const question = { ...about, about: request.query, verifier, onAnswer };
      const ask = async (plan = record.plan): Promise<RecordFindings> => {
        const { findings, unusable } = await fillRecord({ ...requestOf(run, source), plan, question });
        calls.unusable += unusable;
        return restoredFindings(plan, findings);
      };
      return { ...before, records: (await answersOf(record, ask)).map(storedFindings) };
    }),
  );
  const byNumber = new Map(answered.map((entry) => [entry.document, entry]));
  return { ...state, recorded: recorded.map((before) => byNumber.get(before.document) ?? before) };
}

/** In a list, a text may speak of several entities, each on a line of its own, or of one. */
async function answersOf(
  { plan, list }: RequestedRecord,
  ask: (plan?: RequestedRecord['plan']) => Promise<RecordFindings>,
): Promise<RecordFindings[]> {
  const rows = list ? findingsOfRows(plan, await ask(rowsPlan(list, plan.accept))) : [];
  const namedRows = rows.filter((row) => namesEntity(plan, row));
  if (namedRows.length > 1) return namedRows;
  const whole = await ask();
  return namedRows.length === 1 && !namesEntity(plan, whole) ? namedRows : [whole];
}

/** A list is as long as a person reads. */
const MAX_ENTITIES = 100;

/** The state with the record of what is recorded so far. */
async function withRecord(state: NotedState, { ports, request, work }: StageRun): Promise<NotedState> {
  const { recorded = [] } = state;
  if (!request.record) return state;
  const { plan, list } = request.record;
  const { signal } = work;
  const { organization } = work.address;
  const recordContext = { plan, testPatterns: testPatternsBy(ports.documents, { organization, signal }) };
  const restoredRecords = ({ records }: RecordedDocument) => records.map((record) => restoredFindings(plan, record));
  if (!list) {
    const isOther = isOtherThan(request, recorded.flatMap(restoredRecords), plan);
    const documentFindings = recorded.flatMap((document) =>
      restoredRecords(document).map((findings) =>
        isOther(findings) ? setAside(findings, request.texts.elsewhere) : findings,
      ),
    );
    return { ...state, record: await finishRecord(recordContext, mergedFindings(plan, documentFindings)) };
  }
  const entities = mergedEntities(
    plan,
    recorded.map((document) =>
      restoredRecords(document).filter((row) => document.rows !== undefined || namesEntity(plan, row)),
    ),
  );
  const maxEntities = Math.min(MAX_ENTITIES, list.maxItems ?? MAX_ENTITIES);
  const records: DocumentRecord[] = [];
  for (const findings of entities.slice(0, maxEntities)) records.push(await finishRecord(recordContext, findings));
  const isCut = entities.length > maxEntities || recorded.some(({ rows }) => rows === 'cut');
  const fault = isCut ? request.texts.cut : records.length === 0 ? nothingOf(request) : undefined;
  return { ...state, record: listOfRecords(list, records, fault) };
}

/** Among documents that name their entity, those of the one in the question tell of it, and the others do not. */
function isOtherThan({ query }: ResearchRequest, documentFindings: readonly RecordFindings[], plan: RecordPlan) {
  const words = new Set(nameKey(query).split(' '));
  const keys = documentFindings.flatMap((findings) => entityKey(plan, findings) ?? []);
  const askedKeys = new Set(keys.filter((key) => key.split(' ').every((word) => words.has(word))));
  return (findings: RecordFindings): boolean => {
    const key = entityKey(plan, findings);
    return key !== undefined && askedKeys.size > 0 && !askedKeys.has(key);
  };
}

const nothingOf = ({ record, texts }: ResearchRequest): string =>
  texts.noRecord((record && keyField(record.plan)?.names.join('.')) ?? '');
