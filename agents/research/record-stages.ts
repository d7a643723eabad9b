/** The stages that fill the record of a research with a schema, from the documents that were read: labels and tables first, then the model. */

import type { ReportBlock, ReportSection } from '../../engines/reports/report-document.ts';
import type { Stage } from '../../shared/tasks/agent.ts';
import { effectiveSchema } from '../../shared/tasks/output-schema.ts';
import type { Result } from '../../shared/tasks/results.ts';
import { TaskFailure } from '../../shared/tasks/task-failure.ts';
import type { RecordRows } from '../processing/output.ts';
import { nameKey } from '../records/compare-values.ts';
import { fillRecord } from '../records/fill-record.ts';
import { finishRecord } from '../records/finish-record.ts';
import {
  findingsOfRows,
  keyField,
  keyOf,
  listOfRecords,
  mergedEntities,
  mergedFindings,
  namesEntity,
  recordsOfList,
  restoredFindings,
  rowsPlan,
  setAside,
  storedFindings,
} from '../records/merge-findings.ts';
import { type DocumentRecord, type Findings, listedPaths, type RecordPlan } from '../records/record-plan.ts';
import { testPatternsBy } from '../records/test-patterns.ts';
import { verifierOf } from '../verification/verifier.ts';
import { partsOf } from './document-parts.ts';
import { countAnswers } from './model-calls.ts';
import type { Noted } from './pipeline-states.ts';
import type { ReportTexts } from './report-texts.ts';
import type { ResearchResults } from './results.ts';
import { mainModel, type ResearchSetting, type StageRun, stageOf, stagesTo } from './stages.ts';
import type { Chosen, RecordedDocument, ResearchRequest, WantedRecord } from './state.ts';

const ASKED_AT_ONCE = 5;

/** None without a schema. Each ends with the record so far, which is what a task that is cut short has. */
export function recordStages(setting: ResearchSetting): Stage[] {
  const { wish } = setting;
  const { record } = wish;
  if (!record) return [];
  const batches = Math.ceil(wish.depth.documents / ASKED_AT_ONCE);
  return [
    recordStage(setting, (state, run) => findAll(state, run, record)),
    ...(!wish.hasModel
      ? []
      : Array.from({ length: batches }, (_, at) =>
          recordStage(setting, (state, run) => askBatch(state, run, { record, at })),
        )),
  ];
}

type Recorded = Noted & { recorded: RecordedDocument[] };

/** `record` returns the state that it gets if there is nothing to do. */
const recordStage = (setting: ResearchSetting, record: (state: Noted, run: StageRun) => Promise<Noted>): Stage =>
  stageOf(setting, {
    name: 'reading',
    before: stagesTo('reading'),
    after: stagesTo('reading'),
    async next(state: Noted, run) {
      const recorded = await record(state, run);
      return recorded === state ? state : withRecord(recorded, run);
    },
  });

const requestOf = ({ applyRule }: StageRun, document: Chosen) => ({
  parts: partsOf(document),
  document: document.document,
  applyRule,
});

/** What labels and tables of the documents give. Needs no model. */
async function findAll(state: Noted, run: StageRun, { plan, list }: WantedRecord): Promise<Recorded> {
  const recorded: RecordedDocument[] = [];
  const read = state.documents.filter(({ status, text }) => status === 'read' && text.trim() !== '');
  for (const source of read) {
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

const cutOf = ({ lists: [list] }: Findings): Pick<RecordedDocument, 'rows'> => ({
  rows: list?.fault === undefined ? 'all' : 'cut',
});

/** Asks the model for what labels and tables leave open in some documents, side by side. */
async function askBatch(state: Noted, run: StageRun, batch: { record: WantedRecord; at: number }): Promise<Noted> {
  const { recorded = [] } = state;
  const { record, at } = batch;
  const open = recorded.filter(({ rows }) => rows === undefined).slice(at * ASKED_AT_ONCE, (at + 1) * ASKED_AT_ONCE);
  if (open.length === 0) return state;
  const { ports, input, wish, work, calls } = run;
  const model = await mainModel(run);
  if (!model) return state;
  const verifier = await verifierOf(
    { modelOf: ports.modelOf, effort: input.asked.reasoning_effort, answeredBy: input.model },
    input.verifyModel,
    work,
  );
  const task = [`Task:\n${JSON.stringify({ question: wish.query })}`];
  const answered = await Promise.all(
    open.map(async (before): Promise<RecordedDocument> => {
      const source = state.documents.find(({ document }) => document === before.document);
      if (!source) return before;
      const { signal } = work;
      const onAnswer = countAnswers(calls, 'read');
      const wholeTokens = ports.wholeTokens?.(input.model);
      const about = { model, name: source.title, now: ports.clock.now(), signal, task, wholeTokens };
      const question = { ...about, about: wish.query, verifier, onAnswer };
      const ask = async (plan = record.plan): Promise<Findings> => {
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
  { plan, list }: WantedRecord,
  ask: (plan?: WantedRecord['plan']) => Promise<Findings>,
): Promise<Findings[]> {
  const rows = list ? findingsOfRows(plan, await ask(rowsPlan(list, plan.accept))) : [];
  const named = rows.filter((row) => namesEntity(plan, row));
  if (named.length > 1) return named;
  const whole = await ask();
  return named.length === 1 && !namesEntity(plan, whole) ? named : [whole];
}

/** A list is as long as a person reads. */
const MAX_ENTITIES = 100;

/** The state with the record of what is recorded so far. */
async function withRecord(state: Noted, { ports, wish, work }: StageRun): Promise<Noted> {
  const { recorded = [] } = state;
  if (!wish.record) return state;
  const { plan, list } = wish.record;
  const { signal } = work;
  const { organization } = work.address;
  const request = { plan, testPatterns: testPatternsBy(ports.documents, { organization, signal }) };
  const restored = ({ records }: RecordedDocument) => records.map((one) => restoredFindings(plan, one));
  if (!list) {
    const isOther = isOtherThan(wish, recorded.flatMap(restored), plan);
    const each = recorded.flatMap((one) =>
      restored(one).map((own) => (isOther(own) ? setAside(own, wish.texts.elsewhere) : own)),
    );
    return { ...state, record: await finishRecord(request, mergedFindings(plan, each)) };
  }
  const entities = mergedEntities(
    plan,
    recorded.map((one) => restored(one).filter((row) => one.rows !== undefined || namesEntity(plan, row))),
  );
  const most = Math.min(MAX_ENTITIES, list.maxItems ?? MAX_ENTITIES);
  const records: DocumentRecord[] = [];
  for (const findings of entities.slice(0, most)) records.push(await finishRecord(request, findings));
  const isCut = entities.length > most || recorded.some(({ rows }) => rows === 'cut');
  const fault = isCut ? wish.texts.cut : records.length === 0 ? nothingOf(wish) : undefined;
  return { ...state, record: listOfRecords(list, records, fault) };
}

/** Among documents that name their entity, those of the one in the question tell of it, and the others do not. */
function isOtherThan({ query }: ResearchRequest, each: readonly Findings[], plan: RecordPlan) {
  const words = new Set(nameKey(query).split(' '));
  const named = each.flatMap((one) => keyOf(plan, one) ?? []);
  const asked = new Set(named.filter((key) => key.split(' ').every((word) => words.has(word))));
  return (one: Findings): boolean => {
    const key = keyOf(plan, one);
    return key !== undefined && asked.size > 0 && !asked.has(key);
  };
}

const nothingOf = ({ record, texts }: ResearchRequest): string =>
  texts.noRecord((record && keyField(record.plan)?.names.join('.')) ?? '');

/** What the files of the record show, with its evidence. */
export function rowsOfRecord(
  wish: ResearchSetting['wish'],
  { record, documents }: ResearchResults,
): RecordRows | undefined {
  if (!wish.record || !record) return undefined;
  const { plan, list } = wish.record;
  const sources = documents.map(({ document, title, address }) => ({ document, name: title, url: address }));
  const withSource = (one: DocumentRecord) => {
    const document = one.fields.find(({ value }) => value !== null)?.basis[0]?.document ?? 0;
    return { ...(sources.find((source) => source.document === document) ?? { document, name: '', url: '' }), ...one };
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
  const left = record.fields.length - rows.length;
  const remark = left > 0 ? { remark: texts.rowsLeft(left, RECORD_FILE) } : {};
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
