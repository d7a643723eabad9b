/**
 * Checks what a model wrote: code locates its figures and computes its formulas, a second look reads the rest. What fails goes
 * back to the writer once, with the reason.
 */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import type { ComputedFigure } from '../../shared/agents/results/research.ts';
import type { Stage } from '../../shared/tasks/agent.ts';
import { rewriteRules } from '../prompts/research.ts';
import { numberedQuotes } from '../verification/numbered-quotes.ts';
import { secondLook } from '../verification/second-look.ts';
import type { Quote, Statement, Verdict } from '../verification/statement-verdict.ts';
import { verifierOf } from '../verification/verifier.ts';
import { checkByCode, weighStatements } from './code-check.ts';
import { cleanedCells, rowCells } from './draft.ts';
import { cleanedStatement } from './findings.ts';
import { ask, countAnswers } from './model-calls.ts';
import type { CheckedState, WrittenState } from './pipeline-states.ts';
import type { StatementJudgement } from './report-model.ts';
import { type ReportStatement, statementsOf, textOfRow } from './report-statements.ts';
import { keepStateOnFailure, mainModel, type ResearchSetting, type StageRun, stageOf, stagesTo } from './stages.ts';

type Checking<State extends WrittenState = WrittenState> = {
  run: StageRun;
  state: State;
  model: LanguageModelV4;
};

/** The first look is a checkpoint of its own, so that it is not paid for twice. */
export const checkStages = (setting: ResearchSetting): Stage[] =>
  setting.request.hasModel ? [checkStage(setting, judgeAll), checkStage(setting, rewriteRefused)] : [];

const checkStage = <State extends WrittenState>(
  setting: ResearchSetting,
  check: (checking: Checking<State>) => Promise<CheckedState>,
): Stage =>
  stageOf(setting, {
    name: 'writing',
    before: stagesTo('reading'),
    after: stagesTo('reading'),
    async next(state: State, run): Promise<State | CheckedState> {
      if (statementsOf(state).length === 0) return state;
      const model = await mainModel(run);
      return model ? check({ run, state, model }) : state;
    },
  });

const judgeAll = async (checking: Checking): Promise<CheckedState> => ({
  ...checking.state,
  judgements: await judge(statementsOf(checking.state), checking),
});

/** One judgement for each statement, in order. */
async function judge(statements: readonly ReportStatement[], checking: Checking): Promise<StatementJudgement[]> {
  const { state, run } = checking;
  const checks = await checkByCode(run, state, statements);
  const claims = statements.map((statement, at) =>
    claimOf(statement, checks[at]?.quotes ?? [], checks[at]?.computed ?? []),
  );
  const keys = claims.map((claim) => JSON.stringify(claim));
  // A sentence may be a finding word for word: it is looked at once.
  const open = new Map(claims.flatMap((claim, at) => (checks[at]?.judgement ? [] : [[keys[at] ?? '', claim]])));
  const verdicts = await askVerifier([...open.values()], checking);
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

async function askVerifier(statements: readonly Statement[], { run, model }: Checking) {
  if (statements.length === 0) return [];
  const { ports, input, request, work, calls } = run;
  const effort = input.asked.reasoning_effort;
  const verifier = await verifierOf(
    { modelOf: ports.modelOf, effort, answeredBy: input.model },
    input.verifyModel,
    work,
  );
  const counts = { calls: 0, unusable: 0, onAnswer: countAnswers(calls, 'check') };
  const verifying = { model: verifier ?? model, now: ports.clock.now(), signal: work.signal, about: request.query };
  const verdicts = await secondLook(counts, verifying, statements);
  calls.unusable += counts.unusable;
  return verdicts;
}

function judgementOf(verdict: Verdict | undefined, computed: ComputedFigure[]): StatementJudgement {
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
type RefusedStatement = { statement: ReportStatement; at: number; judgement: StatementJudgement; isWithdrawn?: true };

/** The better of both is kept: what the writer says now, or what was there before. */
async function rewriteRefused(checking: Checking<CheckedState>): Promise<CheckedState> {
  const { state } = checking;
  const { judgements = [] } = state;
  const refused = statementsOf(state)
    .flatMap((statement, at): RefusedStatement[] => {
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
  const standing: CheckedState = {
    ...state,
    judgements: judgements.map((judgement, at) =>
      withdrawn.has(at) ? { ...judgement, reason: 'withdrawn' } : judgement,
    ),
  };
  const rewritten = answered.filter(({ isWithdrawn }) => !isWithdrawn);
  const statements = rewritten.map(({ statement }) => statement);
  const again = await keepStateOnFailure(standing, () => judge(statements, checking));
  const better = new Map(
    rewritten.flatMap(({ at, statement: { text, row }, judgement: judgementBefore }, nth) => {
      const judgementAfter = again[nth];
      if (!judgementAfter || severity(judgementAfter) > severity(judgementBefore)) return [];
      const { wrongFigures } = judgementBefore;
      const rewritten = { text, ...(row ? { row } : {}) };
      return [[at, { ...judgementAfter, ...(wrongFigures ? { wrongFigures } : {}), rewritten }] as const];
    }),
  );
  return { ...standing, judgements: (standing.judgements ?? []).map((judgement, at) => better.get(at) ?? judgement) };
}

/** What may be published with a mark is better than what may not. */
const severity = ({ isConfirmed, by, reason }: StatementJudgement): number =>
  isConfirmed ? 0 : by === 'model' && (reason === 'not_stated' || reason === 'unchecked') ? 1 : 2;

async function rewrite(refused: readonly RefusedStatement[], checking: Checking): Promise<RefusedStatement[]> {
  const { run, state, model } = checking;
  const { ports, request, work, calls } = run;
  const weighed = await weighStatements(
    run,
    state,
    refused.map(({ statement }) => statement),
  );
  const promptQuotes = numberedQuotes();
  const promptStatements = refused.map(({ statement, judgement }, at) => {
    const { text, row, kind, before, ownFormulas: formulas } = statement;
    const why = judgement.why ?? judgement.reason;
    const cells = row && { figure: row.figure, of: row.of, value: row.value, unit: row.unit, date: row.date };
    const quotes = [...new Set((weighed[at]?.quotes ?? []).map(promptQuotes.numberOf))];
    return { number: at + 1, ...(cells ? { row: cells } : { text }), kind, before, formulas, why, quotes };
  });
  const answer = await ask(calls, {
    role: 'write',
    ...{ model, rules: rewriteRules(ports.clock.now()).join('\n'), schema: answers, signal: work.signal },
    messages: [
      `The question:\n${request.query}`,
      `The quotes:\n${promptQuotes.lines()}`,
      `The statements:\n${promptStatements.map((statement) => JSON.stringify(statement)).join('\n')}`,
    ],
    answerTokens: ANSWER_TOKENS,
  });
  return (answer?.statements ?? []).flatMap(({ number, text, row, computed }): RefusedStatement[] => {
    const previous = refused[number - 1];
    if (!previous) return [];
    const cited = new Set(previous.statement.citations.map(({ document }) => document));
    const documents = state.documents.filter(({ document }) => cited.has(document));
    const { row: oldRow } = previous.statement;
    const newRow = oldRow && row ? { ...oldRow, ...cleanedCells(row, documents) } : undefined;
    const newText = newRow ? textOfRow(newRow) : cleanedStatement(text, documents);
    if (newText === '') return [{ ...previous, isWithdrawn: true }];
    if (oldRow && !newRow) return [];
    // What was noted of the text before may not be said any more.
    const { figures: _, ...unchanged } = previous.statement;
    const statement = { ...unchanged, text: newText, formulas: computed, ...(newRow ? { row: newRow } : {}) };
    return [{ ...previous, statement }];
  });
}
