/** Writes the sections of a report one by one: by a model, each from findings of its own, or of the findings as quotes. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import { splitSentences } from '../../engines/retrieval/passages.ts';
import type { ReportLength } from '../../shared/agents/research-input.ts';
import type { Stage } from '../../shared/tasks/agent.ts';
import { editRules, outlineRules, tableRules, writeRules } from '../prompts/research.ts';
import { citationsOfCells } from './claims/check-claim.ts';
import { withConflicts } from './claims/conflicts.ts';
import { judgeClaims } from './claims/verify.ts';
import { checkParagraphs, contradictionsIn, documentsOf, isBehind } from './claims/written-sentences.ts';
import { citedQuotes, cleaned, evidenceOf, isRepeated, throwOut } from './findings.ts';
import type { ReportTexts } from './report-texts.ts';
import { isSaidElsewhere } from './results.ts';
import { ask, checkpoint, keepingRest, type ResearchSetting, resume } from './stages.ts';
import type {
  Chosen,
  DataTable,
  Deliverable,
  Finding,
  PlannedSection,
  ResearchRequest,
  ResearchState,
  WrittenDeliverable,
  WrittenParagraph,
  WrittenSentence,
} from './state.ts';

type Lengths = {
  answerTokens: number;
  words: number;
  paragraphs: number;
  summary: number;
  findings: number;
  topic: number;
};

/** How much a section holds: words and paragraphs of a model, and findings without one. */
const LENGTHS: Record<ReportLength, Lengths> = {
  short: { answerTokens: 2_000, words: 80, paragraphs: 2, summary: 3, findings: 5, topic: 3 },
  standard: {
    answerTokens: 4_000,
    words: 200,
    paragraphs: 12,
    summary: 5,
    findings: Number.POSITIVE_INFINITY,
    topic: 8,
  },
  long: { answerTokens: 8_000, words: 500, paragraphs: 24, summary: 8, findings: Number.POSITIVE_INFINITY, topic: 20 },
};

const IN_WORDS = new Set(['summary', 'findings', 'topic']);
const isInWords = ({ kind }: Deliverable): boolean => IN_WORDS.has(kind);

/** Each finding belongs to one section, so that nothing is said twice; the summary is made of all. */
function placed(sections: readonly PlannedSection[], findings: readonly Finding[]): PlannedSection[] {
  const taken = new Set(sections.flatMap(({ findings: own }) => own));
  const planned = sections.map((section) => ({ ...section, findings: [...section.findings] }));
  const rest = planned.find(({ kind }) => kind === 'findings');
  for (const { finding, topics } of findings.filter(({ finding }) => !taken.has(finding))) {
    const fitting = planned.filter(({ kind, title }) => kind === 'topic' && topics.includes(title));
    const home = fitting.toSorted((a, b) => a.findings.length - b.findings.length)[0] ?? rest;
    home?.findings.push(finding);
  }
  // What is best of each topic is a key finding if nothing else is.
  for (const { kind, findings: own } of rest?.findings.length === 0 ? planned : [])
    if (kind === 'topic' && own.length > 1) rest?.findings.push(...own.splice(0, 1));
  for (const section of planned)
    if (section.kind === 'summary') section.findings = findings.map(({ finding }) => finding);
  return planned;
}

const planOf = (deliverables: readonly Deliverable[], findings: readonly Finding[]): PlannedSection[] =>
  placed(
    deliverables.filter(isInWords).map((deliverable) => ({ ...deliverable, findings: [] })),
    findings,
  );

/** Names the findings in the order of the sub-questions, the best of each first. */
const bySubQuestion = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted((a, b) => a.sub_question - b.sub_question || b.score - a.score);

const OF_ONE_DOCUMENT = 2;

/** The best of each part of the question come first; then no document of several fills the summary. */
function summaryOf(findings: readonly Finding[], most: number): Finding[] {
  const firsts = new Set([...Map.groupBy(findings, (one) => one.sub_question).values()].map(([first]) => first));
  const isAlone = new Set(findings.map(({ citations }) => citations[0]?.document)).size === 1;
  const used = new Map<number, number>();
  const rest = findings.filter((one) => {
    const [{ document } = { document: 0 }] = one.citations;
    used.set(document, (used.get(document) ?? 0) + 1);
    return !firsts.has(one) && (isAlone || (used.get(document) ?? 0) <= OF_ONE_DOCUMENT);
  });
  return bySubQuestion([...findings.filter((one) => firsts.has(one)), ...rest].slice(0, most));
}

const paragraphOf = (finding: Finding): WrittenParagraph => ({
  text: finding.text,
  sentences: [{ text: finding.text, checked_by: finding.checked_by }],
  citations: documentsOf([finding]),
  findings: [finding.finding],
  is_quote: finding.is_quote,
});

/** All findings of the report, and the sentences that stand in it so far. */
type SoFar = { findings: readonly Finding[]; said: readonly string[]; texts: ReportTexts };

/** Writes a section of its findings as they are, without those that stand in another one. */
function ofFindings(section: Deliverable, chosen: readonly Finding[], soFar: SoFar): WrittenDeliverable {
  const { deliverable, title, kind } = section;
  const said = new Set(soFar.said.flatMap((text) => splitSentences(text, 'en')));
  // A quote may begin with the sentence before it: the last one is what it says.
  const isSaid = ({ text, is_quote: isQuote }: Finding) => isQuote && said.has(splitSentences(text, 'en').at(-1) ?? '');
  const own = chosen.filter((one) => !isRepeated(one.text, soFar.said) && !isSaid(one));
  const { texts } = soFar;
  const nothing = kind === 'topic' ? texts.nothingOfTopic : texts.nothingFound;
  const note = chosen.length > 0 || isSaidElsewhere(section, soFar.findings) ? texts.saidElsewhere : nothing;
  return { deliverable, title, paragraphs: own.map(paragraphOf), ...(own.length === 0 ? { note } : {}) };
}

const textsOf = (sentences: readonly WrittenSentence[]): string[] => sentences.map(({ text }) => text);

const sentencesOf = (written: readonly WrittenDeliverable[]): string[] =>
  written.flatMap(({ paragraphs }) => paragraphs.flatMap(({ sentences }) => textsOf(sentences)));

/** A record of a figure, all of whose text is one sentence, is no statement about the question: it stands in the table and the charts. */
const isFigureRecord = ({ text, citations }: Finding, { documents }: ResearchState): boolean => {
  const isRecord = ({ figures, text: whole }: Chosen) => figures.length > 0 && whole.trim() === text;
  return citations.some(({ document: cited }) => documents.some((one) => one.document === cited && isRecord(one)));
};

/** The sections in words: those that a model wrote, and the others of the findings. */
export function wordsOf(wish: ResearchRequest, known: ResearchState): WrittenDeliverable[] {
  const lengths = LENGTHS[wish.length];
  const planned = known.sections ?? planOf(wish.deliverables, known.findings);
  const words = planned.filter(isInWords);
  const written = new Map(
    known.written.filter(({ paragraphs }) => paragraphs.length > 0).map((one) => [one.title, one]),
  );
  const all = (): WrittenDeliverable[] => [...written.values()];
  const best = (chosen: Finding[]) => (wish.hasModel ? withConflicts(chosen, known) : chosen);
  const open = words.filter(({ title }) => !written.has(title));
  // The answer itself comes first, and leaves at least half to the other sections.
  for (const section of open.toSorted((a, b) => Number(b.kind === 'summary') - Number(a.kind === 'summary'))) {
    const numbers = new Set(section.findings);
    const { title, kind } = section;
    const isFit = (finding: Finding) => kind !== 'summary' || wish.hasModel || !isFigureRecord(finding, known);
    const own = known.findings.filter((one) => numbers.has(one.finding) && isFit(one));
    const parts = new Set(own.map((one) => one.sub_question)).size;
    const half = words.length > 1 ? Math.max(parts, Math.ceil(own.length / 2)) : own.length;
    const chosen =
      kind === 'summary'
        ? best(summaryOf(own, Math.min(lengths.summary, half)))
        : kind === 'findings'
          ? bySubQuestion(own.slice(0, lengths.findings))
          : bySubQuestion(own.slice(0, lengths.topic));
    const isLeft = own.length === 0 && section.findings.length > 0;
    const texts = isLeft ? { ...wish.texts, nothingFound: wish.texts.passagesOnly } : wish.texts;
    const soFar = { findings: known.findings, said: sentencesOf(all()), texts };
    written.set(title, ofFindings(section, chosen, soFar));
  }
  return words.flatMap(({ title }) => written.get(title) ?? []);
}

type Writer = {
  wish: ResearchRequest;
  known: ResearchState;
  model: LanguageModelV4;
  now: number;
  signal: AbortSignal;
};

/** Sections that a long report has beside the known ones. */
const MAX_ADDED = 8;
const MAX_TITLE = 80;

const outlines = v.object({
  sections: v.array(v.object({ title: v.string(), findings: v.array(v.number()) })),
});

const shownFindings = (findings: readonly Finding[], { documents }: ResearchState) => {
  const dates = new Map(documents.map((one) => [one.document, one.published_at]));
  return findings.map(({ finding, text, topics, citations, figures }) => ({
    ...{ finding, text, topics, figures },
    published: [...new Set(citations.map(({ document }) => dates.get(document) ?? null))],
    quotes: citations.map(({ quote }) => quote),
  }));
};

const material = (wished: object, findings: unknown): string[] => [
  `What is wished:\n${JSON.stringify(wished)}`,
  `The findings:\n${JSON.stringify(findings)}`,
];

/** A long report has sections for what was found beside those that its type has. */
async function addedSections({ wish, known, model, now, signal }: Writer): Promise<PlannedSection[]> {
  const titles = wish.deliverables.map(({ title }) => title);
  const wished = { question: wish.query, kind: wish.researchType, sections: titles, most_sections: MAX_ADDED };
  const shown = known.findings.map(({ finding, text, topics }) => ({ finding, text, topics }));
  const answer = await ask(known, {
    role: 'write',
    ...{ model, rules: outlineRules(now).join('\n'), messages: material(wished, shown), schema: outlines, signal },
    answerTokens: LENGTHS.standard.answerTokens,
  });
  const numbers = new Set(known.findings.map(({ finding }) => finding));
  const named = new Set(titles.map((title) => title.toLowerCase()));
  return (answer?.sections ?? []).slice(0, MAX_ADDED).flatMap(({ title: given, findings }): PlannedSection[] => {
    const title = cleaned(given, []).slice(0, MAX_TITLE);
    const own = [...new Set(findings)].filter((finding) => numbers.delete(finding));
    if (own.length === 0 || title === '' || named.has(title.toLowerCase())) return [];
    named.add(title.toLowerCase());
    return [{ deliverable: title, title, kind: 'topic', findings: own }];
  });
}

const sections = v.object({
  paragraphs: v.array(v.object({ text: v.string(), findings: v.array(v.number()) })),
});

const MAX_SAID = 12_000;

/** Undefined if no sentence of the model is left. Only sentences that their quotes confirm are kept. */
async function writtenByModel(section: PlannedSection, writer: Writer): Promise<WrittenDeliverable | undefined> {
  const { wish, known, model, now, signal } = writer;
  const numbers = new Set(section.findings);
  const own = known.findings.filter(({ finding }) => numbers.has(finding));
  if (own.length === 0) return undefined;
  const lengths = LENGTHS[wish.length];
  const said = sentencesOf(known.written);
  const { title, deliverable } = section;
  const wished = {
    ...{ question: wish.query, kind: wish.researchType, places: wish.scope, section: title, length: wish.length },
    ...{ words: lengths.words, most_paragraphs: lengths.paragraphs },
    already_written: said.join(' ').slice(0, MAX_SAID),
  };
  const answer = await ask(known, {
    role: 'write',
    ...{ model, rules: writeRules(now).join('\n'), messages: material(wished, shownFindings(own, known)) },
    ...{ schema: sections, signal, answerTokens: lengths.answerTokens },
  });
  const proposed = (answer?.paragraphs ?? []).slice(0, lengths.paragraphs).map(({ text, findings }) => ({
    text,
    findings: own.filter(({ finding }) => findings.includes(finding)),
  }));
  const evidence = evidenceOf(known.documents);
  const checked = await checkParagraphs(proposed, { known, evidence, model, now, signal });
  const written = checked.filter((one) => one !== undefined);
  const repeated = repeatedIn(written, said);
  const isEmptied =
    section.kind === 'summary' && written.every(({ sentences }) => sentences.every((one) => repeated.has(one)));
  const paragraphs = isEmptied ? answerFirst(known, written) : takeOut(known, written, repeated);
  return paragraphs.length > 0 ? { deliverable, title, paragraphs } : undefined;
}

/** No sentence stands in two sections, nor twice in one. */
function repeatedIn(paragraphs: readonly WrittenParagraph[], before: readonly string[]): Set<WrittenSentence> {
  const said = [...before];
  const repeated = new Set<WrittenSentence>();
  for (const sentence of paragraphs.flatMap(({ sentences }) => sentences)) {
    if (isRepeated(sentence.text, said)) repeated.add(sentence);
    else said.push(sentence.text);
  }
  return repeated;
}

/** A summary that only repeats the other sections keeps the answer, and leaves at least half to them, as without a model. */
function answerFirst(known: ResearchState, paragraphs: readonly WrittenParagraph[]): WrittenParagraph[] {
  const repeated = repeatedIn(paragraphs, []);
  const most = Math.ceil(sentencesOf(known.written).length / 2);
  const own = paragraphs.flatMap(({ sentences }) => sentences.filter((one) => !repeated.has(one)));
  const kept = takeOut(known, paragraphs, new Set([...repeated, ...own.slice(most)]));
  const said = textsOf(own.slice(0, most));
  known.written = known.written.map((one) => ({
    ...one,
    paragraphs: takeOut(known, one.paragraphs, repeatedIn(one.paragraphs, said)),
  }));
  return kept;
}

type Removed = ReadonlySet<WrittenSentence>;

/** Takes sentences out of paragraphs, and counts them. What stands behind no other sentence is cited no longer. */
function takeOut(known: ResearchState, paragraphs: readonly WrittenParagraph[], removed: Removed): WrittenParagraph[] {
  return paragraphs.flatMap((paragraph) => {
    const left = paragraph.sentences.filter((one) => !removed.has(one));
    known.edited = (known.edited ?? 0) + paragraph.sentences.length - left.length;
    if (left.length === 0) return [];
    if (left.length === paragraph.sentences.length) return [paragraph];
    const gone = paragraph.sentences.filter((one) => removed.has(one));
    const cited = known.findings.filter(({ finding }) => paragraph.findings.includes(finding));
    const needed = cited.filter((finding) => isBehind(finding, left) || !isBehind(finding, gone));
    const kept = needed.length > 0 ? needed : cited;
    const findings = kept.map(({ finding }) => finding);
    return [{ ...withSentences(paragraph, left), citations: documentsOf(kept), findings }];
  });
}

const withSentences = (paragraph: WrittenParagraph, sentences: WrittenSentence[]): WrittenParagraph => ({
  ...paragraph,
  sentences,
  text: textsOf(sentences).join(' '),
});

const tables = v.object({
  rows: v.array(
    v.object({
      ...{ figure: v.string(), of: v.string(), value: v.string(), unit: v.string(), date: v.string() },
      finding: v.number(),
    }),
  ),
});

const MAX_PROPOSED = 60;

/** A table of the figures that answer the question; each row is checked like a sentence. */
async function tableByModel(section: PlannedSection, writer: Writer): Promise<WrittenDeliverable | undefined> {
  const { wish, known, model, now, signal } = writer;
  const own = known.findings.filter(({ text }) => /\d/.test(text));
  if (own.length === 0) return undefined;
  const answer = await ask(known, {
    role: 'write',
    ...{ model, rules: tableRules(now).join('\n'), signal, schema: tables },
    messages: material({ question: wish.query }, shownFindings(own, known)),
    answerTokens: LENGTHS[wish.length].answerTokens,
  });
  const evidence = evidenceOf(known.documents);
  const rows = (answer?.rows ?? []).slice(0, MAX_PROPOSED).flatMap(({ finding: number, ...given }) => {
    const finding = own.find(({ finding }) => finding === number);
    const [document] = finding ? documentsOf([finding]) : [];
    const source = known.documents.find((one) => one.document === document);
    if (!finding || !source) return [];
    const [figure = '', of = '', value = '', unit = '', date = ''] = [
      ...[given.figure, given.of, given.value, given.unit, given.date],
    ].map((cell) => cleaned(cell, []));
    const text = `${of}: ${figure} ${value} ${unit}${date === '' ? '' : ` (${date})`}`;
    const quotes = citedQuotes(finding.citations, evidence);
    const claim = { text, evidence: quotes, computed: finding.computed ?? [] };
    const cells = [figure, of, value, unit, date];
    const citations = [...citationsOfCells(cells, quotes), [source.document]];
    return [{ row: { cells: [...cells, source.source], document: source.document, citations }, claim }];
  });
  const judged = await judgeClaims(
    rows.map(({ claim }) => claim),
    { known, model, now, signal },
  );
  const kept = rows.flatMap(({ row, claim }, at): DataTable['rows'] => {
    const judgement = judged[at];
    if (judgement && 'checkedBy' in judgement) return [row];
    throwOut(known, judgement?.objection ?? 'unchecked', claim.text);
    return [];
  });
  if (kept.length === 0) return undefined;
  const { deliverable, title } = section;
  const table = { columns: wish.texts.figureColumns, rows: kept, rows_left_out: 0 };
  return { deliverable, title, paragraphs: [], table };
}

const edits = v.object({
  remove: v.array(v.number()),
  rewrite: v.array(v.object({ sentence: v.number(), text: v.string() })),
  contradictions: v.nullish(v.array(v.array(v.number())), []),
});

/** A critic who is wrong must not empty the report. */
const MAX_REMOVED = 1 / 3;
const MAX_REWRITTEN = 20;

/** One look at the whole: what repeats or does not belong is taken out, what is not understood is said again and checked. */
async function edit({ wish, known, model, now, signal }: Writer): Promise<void> {
  const all = known.written.flatMap(({ title, paragraphs }) =>
    paragraphs.flatMap((paragraph) => paragraph.sentences.map((sentence) => ({ title, paragraph, sentence }))),
  );
  if (all.length === 0) return;
  const shown = all.map(({ title, paragraph, sentence }, at) => ({
    ...{ sentence: at + 1, section: title, text: sentence.text, documents: paragraph.citations },
  }));
  const answer = await ask(known, {
    role: 'write',
    ...{ model, rules: editRules(now).join('\n'), schema: edits, signal },
    messages: [`What is wished:\n${JSON.stringify({ question: wish.query })}`, `The report:\n${JSON.stringify(shown)}`],
    answerTokens: LENGTHS[wish.length].answerTokens,
  });
  known.contradictions = contradictionsIn(answer?.contradictions ?? [], all, known.findings);
  const removed = new Set((answer?.remove ?? []).slice(0, Math.floor(all.length * MAX_REMOVED)));
  const better = new Map(
    (answer?.rewrite ?? []).slice(0, MAX_REWRITTEN).flatMap(({ sentence, text }) => {
      const old = all[sentence - 1];
      return old && !removed.has(sentence) ? [[old, text] as const] : [];
    }),
  );
  const proposed = [...better].map(([{ paragraph }, text]) => ({
    text,
    findings: known.findings.filter(({ finding }) => paragraph.findings.includes(finding)),
  }));
  const evidence = evidenceOf(known.documents);
  // The old sentence stays where a new one is refused, so nothing is thrown out.
  const refuse = () => undefined;
  const checked = await checkParagraphs(proposed, { known, evidence, model, now, signal, refuse });
  const gone = new Set(all.flatMap(({ sentence }, at) => (removed.has(at + 1) ? [sentence] : [])));
  const standing = new Map(all.flatMap(({ sentence }) => (gone.has(sentence) ? [] : [[sentence, [sentence]]])));
  for (const [at, { sentence }] of [...better.keys()].entries()) {
    const others = [...standing].flatMap(([old, own]) => (old === sentence ? [] : own));
    const again = checked[at]?.sentences ?? [];
    const isNew = again.every(({ text }, nth) => !isRepeated(text, textsOf([...others, ...again.slice(0, nth)])));
    if (again.length > 0 && isNew) standing.set(sentence, again);
  }
  const reworded = (paragraph: WrittenParagraph): WrittenParagraph =>
    withSentences(
      paragraph,
      paragraph.sentences.flatMap((sentence) => standing.get(sentence) ?? [sentence]),
    );
  known.written = known.written.map((one) => ({
    ...one,
    paragraphs: takeOut(known, one.paragraphs.map(reworded), gone),
  }));
}

const STAGES = ['planning', 'gathering', 'ranking', 'reading'];

type Write = (writer: Writer) => Promise<void>;

const stageOf = (setting: ResearchSetting, isDone: (known: ResearchState) => boolean, write: Write): Stage => ({
  name: 'writing',
  async run(work, carried) {
    const { ports, wish, input } = setting;
    const { address, signal } = work;
    const known = await resume(setting, carried);
    if (isDone(known)) return carried;
    const model = await ports.modelOf(input.model, work, input.asked.reasoning_effort);
    if (!model) return carried;
    const run = () => write({ wish, known, model, now: ports.clock.now(), signal });
    await keepingRest(setting, work, { progress: { known, stages: STAGES }, run });
    return checkpoint(setting, address, { known, stages: STAGES });
  },
});

const isWritten = ({ written }: ResearchState, { title }: Deliverable): boolean =>
  written.some((one) => one.title === title);

/** The summary is written when the other sections are known. */
function nextSection(known: ResearchState): PlannedSection | undefined {
  const open = (known.sections ?? []).filter((section) => !isWritten(known, section));
  return open.find(({ kind }) => kind !== 'summary') ?? open[0];
}

async function writeNext(writer: Writer): Promise<void> {
  const { known } = writer;
  const section = nextSection(known);
  if (!section) return;
  const write = section.kind === 'table' ? tableByModel : writtenByModel;
  const { deliverable, title } = section;
  const written = (await write(section, writer)) ?? { deliverable, title, paragraphs: [] };
  const all = [...known.written, written];
  known.written = (known.sections ?? []).flatMap((one) => all.find(({ title }) => title === one.title) ?? []);
}

/** One stage for each section: what is written is kept, shown and not paid for again if the worker stops. */
export function sectionStages(setting: ResearchSetting): Stage[] {
  const { wish, input } = setting;
  if (!wish.hasModel) return [];
  const own = wish.deliverables.filter((one) => isInWords(one) || one.kind === 'table');
  if (own.length === 0) return [];
  const isOutlined = wish.length === 'long' && !input.asked.deliverables?.length;
  const hasNothing = ({ findings }: ResearchState) => findings.length === 0;
  const outline: Write = async (writer) => {
    const { known } = writer;
    const added = isOutlined ? await addedSections(writer) : [];
    const wanted = own.map((deliverable): PlannedSection => ({ ...deliverable, findings: [] }));
    const behind = own.findLastIndex(isInWords) + 1;
    known.sections = placed(wanted.toSpliced(behind, 0, ...added), known.findings);
  };
  return [
    stageOf(setting, hasNothing, outline),
    ...Array.from({ length: own.length + (isOutlined ? MAX_ADDED : 0) }, () =>
      stageOf(setting, (known) => nextSection(known) === undefined, writeNext),
    ),
    stageOf(setting, hasNothing, edit),
  ];
}
