/**
 * What stands behind a task type until its own agent does: it works the request itself into an outline. It reaches for
 * no source, no document and no mailbox, and says so in its results.
 */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { AgentInput } from '../../../shared/agents/agent-input.ts';
import type { Report } from '../../../shared/agents/report.ts';
import { STAGES, type TaskType } from '../../../shared/agents/task-types.ts';
import type { Agent, Work } from '../../../shared/tasks/agent.ts';
import type { Result } from '../../../shared/tasks/result.ts';
import { pagesOf } from '../chat/desk.ts';
import { workThrough } from '../chat/work-through.ts';
import { type Brief, briefOf } from './brief.ts';

const NOTE =
  'An outline of the request itself, in its own words. No source was consulted, no document was fetched and no e-mail was sent.';

type Ports = { modelOf(id: string): Promise<LanguageModelV4> };

export const outlineAgent = (type: TaskType, { modelOf }: Ports): Agent => ({
  stages(given) {
    const { model: id, asked } = given as AgentInput;
    const brief = briefOf(type, asked);
    const [understanding, gathering, outlining] = STAGES[type];
    return [
      { name: understanding, run: async (): Promise<Result> => ({ report: understood(brief) }) },
      { name: gathering, run: async (): Promise<Result> => ({ report: gathered(brief) }) },
      { name: outlining, run: async (work) => outlined(brief, { work, id, model: await modelOf(id) }) },
    ];
  },
});

const understood = ({ request, points }: Brief): Report => ({
  results: { note: NOTE, request, points },
  preview: { request, points: points.length },
  sources: 0,
  queries: 0,
});

function gathered(brief: Brief): Report {
  const { results, preview, ...counts } = understood(brief);
  const { named } = brief;
  return { ...counts, results: { ...results, named }, preview: { ...preview, named: named.length } };
}

type Asking = { work: Work; id: string; model: LanguageModelV4 };

async function outlined(brief: Brief, { work, id, model }: Asking): Promise<Result> {
  const { request, points } = brief;
  const parts = points.map((text, at) => ({ label: `point ${at + 1}`, text }));
  const files = [{ name: 'the request', kind: 'text', pages: pagesOf({ parts }) }];
  const desk = { files, rulesets: [], saved: new Map() };
  const { text, usage } = await workThrough({ model, desk, request, signal: work.signal });
  const { results, preview, ...counts } = gathered(brief);
  const report: Report = {
    ...counts,
    results: { ...results, outline: text },
    preview: { ...preview, outline: text.length },
    queries: 1,
    confidence: confidenceIn(brief, text),
  };
  return { report, usage: { model: id, ...usage } };
}

/** Nothing that is named was read, so only how much of the request the outline takes up can be above nought. */
const confidenceIn = ({ points }: Brief, text: string) => ({
  dataQuality: 0,
  analysisCompleteness: shareIn(points, text),
  sourceReliability: 0,
});

function shareIn(points: readonly string[], text: string): number {
  const said = (point: string) => text.includes(point.slice(point.indexOf(': ') + 2));
  return points.length === 0 ? 0 : Math.round((100 * points.filter(said).length) / points.length) / 100;
}
