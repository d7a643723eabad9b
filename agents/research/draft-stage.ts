/** The stages in which a model writes the report, which the stages after them check. */

import type { Stage } from '../../shared/tasks/agent.ts';
import { checkByCode, weighStatements } from './code-check.ts';
import { type DraftPart, writeDraft } from './draft.ts';
import type { WrittenState } from './pipeline-states.ts';
import { statementsOf } from './report-statements.ts';
import { keepStateOnFailure, mainModel, type ResearchSetting, type StageRun, stageOf, stagesTo } from './stages.ts';

/**
 * None without a model: the findings are quotes, and stand in the report as they are. Each call is a checkpoint of its own, so
 * that it is not paid for twice.
 */
export function draftStages(setting: ResearchSetting): Stage[] {
  if (!setting.request.hasModel) return [];
  const parts: DraftPart[] = setting.request.length === 'long' ? ['body', 'end'] : ['whole'];
  return parts.map((part) => draftStage(setting, part));
}

const draftStage = (setting: ResearchSetting, part: DraftPart): Stage =>
  stageOf(setting, {
    name: 'writing',
    before: stagesTo('reading'),
    after: stagesTo('reading'),
    next: (state: WrittenState, run) => draftReport(state, run, part),
  });

async function draftReport(before: WrittenState, run: StageRun, part: DraftPart): Promise<WrittenState> {
  const model = await mainModel(run);
  if (!model || before.findings.every(({ is_quote: isQuote }) => isQuote)) return before;
  if (part === 'end' && !before.draft) return before;
  const ofFindings = before.findings.map(({ text, citations, formulas = [] }) => ({ text, citations, formulas }));
  const weighed = await weighStatements(run, before, ofFindings);
  const findings = before.findings.map((finding, at) => {
    const computed = weighed[at]?.computed ?? [];
    return computed.length > 0 ? { ...finding, computed } : finding;
  });
  const state: WrittenState = { ...before, findings };
  const quotes = findings.map((_, at) => weighed[at]?.quotes ?? []);
  const faults = findings.map((_, at) => weighed[at]?.fault?.detail);
  const draft = await keepStateOnFailure(state, () => writeDraft({ run, state, model, quotes, faults }, part));
  if (!draft) return state;
  const { sections = [], rows = [], charts = [] } = state.draft ?? {};
  const written = {
    ...state,
    draft: {
      sections: [...sections, ...draft.sections],
      rows: [...rows, ...draft.rows],
      charts: [...charts, ...draft.charts],
    },
  };
  // However the task ends from here, nothing is shown that code refuses.
  const checks = await keepStateOnFailure(written, () => checkByCode(run, written, statementsOf(written)));
  return { ...written, judgements: checks.map(({ judgement }) => judgement) };
}
