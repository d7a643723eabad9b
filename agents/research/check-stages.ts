/**
 * Checks what a model wrote: code locates its figures and computes its formulas, a second look reads the rest. What fails goes
 * back to the writer once, with the reason.
 */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import type { Stage } from '../../shared/tasks/agent.ts';
import { rewriteRules } from '../prompts/research.ts';
import { numberedQuotes } from '../verification/numbered-quotes.ts';
import { secondLook } from '../verification/second-look.ts';
import type { Quote, Statement, Verdict } from '../verification/statement.ts';
import { verifierOf } from '../verification/verifier.ts';
import { checkByCode, weighStatements } from './code-check.ts';
import { cleanedCells, rowCells } from './draft.ts';
import { cleaned } from './findings.ts';
import { ask, countAnswers } from './model-calls.ts';
import type { Checked, Written } from './pipeline-states.ts';
import { type ReportStatement, statementsOf, textOfRow } from './report-statements.ts';
import { keeping, mainModel, type ResearchSetting, type StageRun, stageOf, stagesTo } from './stages.ts';
import type { ComputedFigure, Judgement } from './states.ts';

type Checking<State extends Written = Written> = {
  run: StageRun;
  state: State;
  model: LanguageModelV4;
};

/** The first look is a checkpoint of its own, so that it is not paid for twice. */
export const checkStages = (setting: ResearchSetting): Stage[] =>
  setting.wish.hasModel ? [checkStage(setting, judgeAll), checkStage(setting, rewriteRefused)] : [];

const checkStage = <State extends Written>(
  setting: ResearchSetting,
  check: (checking: Checking<State>) => Promise<Checked>,
): Stage =>
  stageOf(setting, {
    name: 'writing',
    before: stagesTo('reading'),
    after: stagesTo('reading'),
    async next(state: State, run): Promise<State | Checked> {
      if (statementsOf(state).length === 0) return state;
      const model = await mainModel(run);
      return model ? check({ run, state, model }) : state;
    },
  });

const judgeAll = async (checking: Checking): Promise<Checked> => ({
  ...checking.state,
  judgements: await judge(statementsOf(checking.state), checking),
});

/** One judgement for each statement, in order. */
async function judge(statements: readonly ReportStatement[], checking: Checking): Promise<Judgement[]> {
  const { state, run } = checking;
  const checks = await checkByCode(run, state, statements);
  const claims = statements.map((statement, at) =>
    claimOf(statement, checks[at]?.quotes ?? [], checks[at]?.computed ?? []),
  );
  const keys = claims.map((claim) => JSON.stringify(claim));
  // A sentence may be a finding word for word: it is looked at once.
  const open = new Map(claims.flatMap((claim, at) => (checks[at]?.judgement ? [] : [[keys[at] ?? '', claim]])));
  const verdicts = await look([...open.values()], checking);
  const verdictOf = new Map([...open.keys()].map((key, at) => [key, verdicts[at]]));
  return keys.map((key, at) => checks[at]?.judgement ?? judgementOf(verdictOf.get(key), checks[at]?.computed ?? []));
}

function claimOf(
  { text, kind, figures = [] }: ReportStatement,
  quotes: readonly Quote[],
  computed: readonly ComputedFigure[],
): Statement {
  const noted = figures.map(({ label, text: value, unit, scale, period, when }) =>
    [`${label}:`, value, scale === 1 ? null : `× ${scale}`, unit, period, when && `(${when})`]
      .filter(Boolean)
      .join(' '),
  );
  const claim = {
    text,
    ...(noted.length > 0 ? { figures: noted } : {}),
    ...(computed.length > 0 ? { formulas: computed.map(({ formula, value }) => `${formula} = ${value}`) } : {}),
    ...(kind === 'missing' ? { missing: true as const } : {}),
    ...(kind === 'advice' ? { advice: true as const } : {}),
  };
  return { claim, quotes };
}

async function look(statements: readonly Statement[], { run, model }: Checking) {
  if (statements.length === 0) return [];
  const { ports, input, wish, work, calls } = run;
  const effort = input.asked.reasoning_effort;
  const verifier = await verifierOf(
    { modelOf: ports.modelOf, effort, answeredBy: input.model },
    input.verifyModel,
    work,
  );
  const counts = { calls: 0, unusable: 0, onAnswer: countAnswers(calls, 'check') };
  const verifying = { model: verifier ?? model, now: ports.clock.now(), signal: work.signal, about: wish.query };
  const verdicts = await secondLook(counts, verifying, statements);
  calls.unusable += counts.unusable;
  return verdicts;
}

function judgementOf(verdict: Verdict | undefined, computed: ComputedFigure[]): Judgement {
  if (verdict === undefined) return { isConfirmed: false, by: 'model', reason: 'unchecked', computed };
  const { wrongFigures } = verdict;
  const ofFigures = wrongFigures ? { wrongFigures } : {};
  if (verdict.verdict === 'supported') return { isConfirmed: true, by: 'model', computed, ...ofFigures };
  const why = verdict.why ?? verdict.words;
  return {
    ...{ isConfirmed: false, by: 'model', reason: verdict.verdict, computed, ...ofFigures },
    ...(why === undefined ? {} : { why }),
  };
}

const answers = v.object({
  statements: v.array(
    v.object({
      number: v.number(),
      text: v.string(),
      row: v.nullish(v.object(rowCells)),
      computed: v.nullish(v.array(v.string()), []),
    }),
  ),
});

const MAX_REWRITTEN = 60;
const ANSWER_TOKENS = 8_000;

/** `isWithdrawn`: the writer takes it out itself. */
type Refused = { statement: ReportStatement; at: number; judgement: Judgement; isWithdrawn?: true };

/** The better of both is kept: what the writer says now, or what was there before. */
async function rewriteRefused(checking: Checking<Checked>): Promise<Checked> {
  const { state } = checking;
  const { judgements = [] } = state;
  const refused = statementsOf(state)
    .flatMap((statement, at): Refused[] => {
      const judgement = judgements[at];
      // Without a second look nothing can be confirmed, rewritten or not.
      return judgement && !judgement.isConfirmed && judgement.reason !== 'unchecked'
        ? [{ statement, at, judgement }]
        : [];
    })
    // What the report says comes before findings that it may not say.
    .toSorted((a, b) => Number('finding' in a.statement.place) - Number('finding' in b.statement.place))
    .slice(0, MAX_REWRITTEN);
  if (refused.length === 0) return state;
  const answered = await rewrite(refused, checking);
  const withdrawn = new Set(answered.filter(({ isWithdrawn }) => isWithdrawn).map(({ at }) => at));
  const standing: Checked = {
    ...state,
    judgements: judgements.map((judgement, at) =>
      withdrawn.has(at) ? { ...judgement, reason: 'withdrawn' } : judgement,
    ),
  };
  const rewritten = answered.filter(({ isWithdrawn }) => !isWithdrawn);
  const statements = rewritten.map(({ statement }) => statement);
  const again = await keeping(standing, () => judge(statements, checking));
  const better = new Map(
    rewritten.flatMap(({ at, statement: { text, row }, judgement: before }, nth) => {
      const after = again[nth];
      if (!after || severity(after) > severity(before)) return [];
      const { wrongFigures } = before;
      const rewritten = { text, ...(row ? { row } : {}) };
      return [[at, { ...after, ...(wrongFigures ? { wrongFigures } : {}), rewritten }] as const];
    }),
  );
  return { ...standing, judgements: (standing.judgements ?? []).map((judgement, at) => better.get(at) ?? judgement) };
}

/** What may be published with a mark is better than what may not. */
const severity = ({ isConfirmed, by, reason }: Judgement): number =>
  isConfirmed ? 0 : by === 'model' && (reason === 'not_stated' || reason === 'unchecked') ? 1 : 2;

async function rewrite(refused: readonly Refused[], checking: Checking): Promise<Refused[]> {
  const { run, state, model } = checking;
  const { ports, wish, work, calls } = run;
  const weighed = await weighStatements(
    run,
    state,
    refused.map(({ statement }) => statement),
  );
  const shownQuotes = numberedQuotes();
  const returned = refused.map(({ statement, judgement }, at) => {
    const { text, row, kind, before, ownFormulas: formulas } = statement;
    const why = judgement.why ?? judgement.reason;
    const cells = row && { figure: row.figure, of: row.of, value: row.value, unit: row.unit, date: row.date };
    const quotes = [...new Set((weighed[at]?.quotes ?? []).map(shownQuotes.numberOf))];
    return { number: at + 1, ...(cells ? { row: cells } : { text }), kind, before, formulas, why, quotes };
  });
  const answer = await ask(calls, {
    role: 'write',
    ...{ model, rules: rewriteRules(ports.clock.now()).join('\n'), schema: answers, signal: work.signal },
    messages: [
      `The question:\n${wish.query}`,
      `The quotes:\n${shownQuotes.lines()}`,
      `The statements:\n${returned.map((statement) => JSON.stringify(statement)).join('\n')}`,
    ],
    answerTokens: ANSWER_TOKENS,
  });
  return (answer?.statements ?? []).flatMap(({ number, text, row, computed }): Refused[] => {
    const old = refused[number - 1];
    if (!old) return [];
    const cited = new Set(old.statement.citations.map(({ document }) => document));
    const documents = state.documents.filter(({ document }) => cited.has(document));
    const { row: oldRow } = old.statement;
    const newRow = oldRow && row ? { ...oldRow, ...cleanedCells(row, documents) } : undefined;
    const newText = newRow ? textOfRow(newRow) : cleaned(text, documents);
    if (newText === '') return [{ ...old, isWithdrawn: true }];
    if (oldRow && !newRow) return [];
    // What was noted of the text before may not be said any more.
    const { figures: _, ...before } = old.statement;
    const statement = { ...before, text: newText, formulas: computed, ...(newRow ? { row: newRow } : {}) };
    return [{ ...old, statement }];
  });
}
