/** What a request says, point by point, and what it names: drawn from its own fields and from nothing else. */
import type { Asked } from '../../../shared/agents/agent-input.ts';
import type { TaskType } from '../../../shared/agents/task-types.ts';

export type Named = { kind: 'source' | 'document' | 'recipient'; name: string };
export type Brief = { request: string; points: string[]; named: Named[] };

type Points = [label: string, said: string | string[] | boolean | number | null | undefined][];

/** Fields that were left out are no points. */
const pointsOf = (points: Points): string[] =>
  points.flatMap(([label, said]) => {
    const text = Array.isArray(said) ? said.join(', ') : (said ?? '').toString();
    return text === '' ? [] : [`${label}: ${text}`];
  });

const named = (kind: Named['kind'], names: readonly string[] | null | undefined): Named[] =>
  (names ?? []).map((name) => ({ kind, name }));

const BRIEFS: { [T in TaskType]: (asked: Asked[T]) => Brief } = {
  research_agent: (asked) => ({
    request: asked.query,
    points: pointsOf([
      ['Question', asked.query],
      ['Kind of research', asked.research_type],
      ['Where', asked.geographic_scope],
      ['Depth', asked.depth],
      ['Depth of the analysis', asked.analysis_depth],
      ['To be delivered', asked.deliverables],
      ['As', asked.output_format],
    ]),
    named: named('source', asked.sources),
  }),
  processing_agent: (asked) => ({
    request: asked.processing_type ?? 'Process the documents',
    points: pointsOf([
      ['Kind of processing', asked.processing_type],
      ['Documents', asked.documents.length],
      ['To be extracted', asked.extraction_rules],
      ['As', asked.output_format],
    ]),
    named: named(
      'document',
      asked.documents.map(({ url }) => url),
    ),
  }),
  notification_agent: ({ notification_type: kind, schedule, content }) => ({
    request: kind ?? 'Notify the recipients',
    points: pointsOf([
      ['Kind of notification', kind],
      ['How often', schedule?.frequency],
      ['On', schedule?.day_of_week],
      ['On day', schedule?.day_of_month],
      ['At', schedule?.time],
      ['Time zone', schedule?.timezone],
      ['As', content.format],
      ['With charts', content.include_charts],
    ]),
    named: [...named('source', content.data_sources), ...named('recipient', content.recipients)],
  }),
};

export const briefOf = <T extends TaskType>(type: T, asked: Asked[T]): Brief => BRIEFS[type](asked);
