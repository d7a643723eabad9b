/** The stages that fill the record of a research with a schema, from the documents that were read: labels and tables first, then the model. */

import type { DocumentPart } from '../../engines/documents/document.ts';
import type { ReportBlock, ReportSection } from '../../engines/reports/report-document.ts';
import { effectiveSchema } from '../../shared/agents/output-schema.ts';
import { type Stage, TaskFailure, type Work } from '../../shared/tasks/agent.ts';
import type { Result } from '../../shared/tasks/details.ts';
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
import { ruleApplier } from '../text-work.ts';
import { verifierOf } from '../verification/verifier.ts';
import type { ReportTexts } from './report-texts.ts';
import type { ResearchResults } from './results.ts';
import { checkpoint, countAnswers, type ResearchSetting, resume } from './stages.ts';
import type { Chosen, RecordedDocument, ResearchRequest, ResearchState, WantedRecord } from './state.ts';

const STAGES = ['planning', 'gathering', 'ranking', 'reading'];
const ASKED_AT_ONCE = 5;

/** None without a schema. Each ends with the record so far, which is what a task that is cut short has. */
export function recordStages(setting: ResearchSetting): Stage[] {
  const { wish } = setting;
  const { record } = wish;
  if (!record) return [];
  const batches = Math.ceil(wish.depth.documents / ASKED_AT_ONCE);
  return [
    stageOf(setting, async (known, work) => {
      known.recorded = await findAll(setting, record, { known, work });
      return true;
    }),
    ...(!wish.hasModel
      ? []
      : Array.from({ length: batches }, (_, at) =>
          stageOf(setting, (known, work) => askBatch(setting, record, { known, work, at })),
        )),
  ];
}

type Reading = { known: ResearchState; work: Work };

/** `run` resolves to false if there was nothing to do. */
const stageOf = (setting: ResearchSetting, run: (known: ResearchState, work: Work) => Promise<boolean>): Stage => ({
  name: 'reading',
  async run(work, carried) {
    const known = await resume(setting, carried);
    if (!(await run(known, work))) return carried;
    await finish(setting, { known, work });
    return checkpoint(setting, work.address, { known, stages: STAGES });
  },
});

/** The label of a part of a file, as its text has it. */
const PART = /^\[([^[\]\n]{1,100})\]\n\n/gm;

function partsOf({ text }: Chosen): DocumentPart[] {
  const marks = [...text.matchAll(PART)];
  if (marks[0]?.index !== 0) return [{ label: 'text', text }];
  return marks.map(({ 0: mark, 1: label = '', index }, at) => ({
    label,
    text: text.slice(index + mark.length, marks[at + 1]?.index).trimEnd(),
  }));
}

const requestOf = ({ ports }: ResearchSetting, { address: { organization }, signal }: Work, one: Chosen) => ({
  parts: partsOf(one),
  document: one.document,
  applyRule: ruleApplier(ports.documents, { organization, signal }),
});

/** What labels and tables of the documents give. Needs no model. */
async function findAll(
  setting: ResearchSetting,
  wanted: WantedRecord,
  { known, work }: Reading,
): Promise<RecordedDocument[]> {
  const recorded: RecordedDocument[] = [];
  const read = known.documents.filter(({ status, text }) => status === 'read' && text.trim() !== '');
  for (const one of read) {
    const { plan, list } = wanted;
    const request = requestOf(setting, work, one);
    const { document } = request;
    const filled = await fillRecord({ ...request, plan, list });
    if (list && filled.rows) {
      const rows = restoredFindings(rowsPlan(list, plan.accept), filled.rows);
      recorded.push({ document, records: findingsOfRows(plan, rows).map(storedFindings), ...cutOf(rows) });
    } else recorded.push({ document, records: [filled.findings] });
  }
  return recorded;
}

const cutOf = ({ lists: [list] }: Findings): Pick<RecordedDocument, 'rows'> => ({
  rows: list?.fault === undefined ? 'all' : 'cut',
});

/** Asks the model for what labels and tables leave open in some documents, side by side. */
async function askBatch(setting: ResearchSetting, wanted: WantedRecord, { known, work, at }: Reading & { at: number }) {
  const open = (known.recorded ?? []).filter(({ rows }) => rows === undefined);
  const batch = open.slice(at * ASKED_AT_ONCE, (at + 1) * ASKED_AT_ONCE);
  if (batch.length === 0) return false;
  const { ports, input } = setting;
  const model = await ports.modelOf(input.model, work, input.asked.reasoning_effort);
  if (!model) return false;
  const verifier = await verifierOf(
    { modelOf: ports.modelOf, effort: input.asked.reasoning_effort },
    input.verifyModel,
    work,
  );
  const task = [`Task:\n${JSON.stringify({ question: setting.wish.query })}`];
  await Promise.all(
    batch.map(async (recorded) => {
      const one = known.documents.find(({ document }) => document === recorded.document);
      if (!one) return;
      const { signal } = work;
      const onAnswer = countAnswers(known, 'read');
      const wholeTokens = ports.wholeTokens?.(input.model);
      const about = { model, name: one.title, now: ports.clock.now(), signal, task, wholeTokens };
      const question = { ...about, about: setting.wish.query, verifier, onAnswer };
      const ask = async (plan = wanted.plan): Promise<Findings> => {
        const { findings, unusable } = await fillRecord({ ...requestOf(setting, work, one), plan, question });
        known.unusable = (known.unusable ?? 0) + unusable;
        return restoredFindings(plan, findings);
      };
      recorded.records = (await answersOf(wanted, ask)).map(storedFindings);
    }),
  );
  return true;
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

/** Puts the record together of what is known so far. */
async function finish(setting: ResearchSetting, { known, work: { address, signal } }: Reading): Promise<void> {
  const { ports, wish } = setting;
  const { recorded = [] } = known;
  if (!wish.record) return;
  const { plan, list } = wish.record;
  const { organization } = address;
  const request = { plan, testPatterns: testPatternsBy(ports.documents, { organization, signal }) };
  const restored = ({ records }: RecordedDocument) => records.map((one) => restoredFindings(plan, one));
  if (!list) {
    const isOther = isOtherThan(wish, recorded.flatMap(restored), plan);
    const each = recorded.flatMap((one) =>
      restored(one).map((own) => (isOther(own) ? setAside(own, wish.texts.elsewhere) : own)),
    );
    known.record = await finishRecord(request, mergedFindings(plan, each));
    return;
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
  known.record = listOfRecords(list, records, fault);
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
    const shown = value === null ? { text: '' } : { text: String(value), citations };
    return [
      { text: path },
      shown,
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
