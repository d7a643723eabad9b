/** The activity of a research: its newest steps, and all of them on request. */

import { useRef, useState } from 'preact/hooks';
import type { AgentContract } from '../../client/src/index.ts';
import { api } from '../api.ts';
import { words } from '../format.ts';
import { useApiData } from '../hooks.ts';
import { Fault } from '../ui/fault.tsx';
import { Time } from '../ui/parts.tsx';

type Step = AgentContract.TaskEvents['events'][number];
type Props = { task: AgentContract.TaskStatus };

const SHOWN = 8;

/** Steps become available when their stage has ended, which the status preview shows. */
export function Activity({ task: { task_id: id, status, output_preview: preview } }: Props) {
  const loadedSteps = useRef<Step[]>([]);
  const [showsAll, setShowsAll] = useState(false);
  const { data, fault, again } = useApiData(`${id} events ${status} ${JSON.stringify(preview)}`, async (signal) => {
    for (let hasMore = true; hasMore; ) {
      const page = await api().agents.events(id, { after: loadedSteps.current.at(-1)?.n ?? 0, signal });
      loadedSteps.current = [...loadedSteps.current, ...page.events];
      hasMore = page.has_more;
    }
    return loadedSteps.current;
  });
  if (!fault && !data?.length) return null;
  const steps = data ?? [];
  const shownSteps = showsAll ? steps : steps.slice(-SHOWN);
  return (
    <section class="card stack" aria-labelledby={`activity-${id}`}>
      <div class="section-head">
        <h2 id={`activity-${id}`}>Activity</h2>
        {steps.length > SHOWN && (
          <button type="button" class="button quiet" onClick={() => setShowsAll(!showsAll)}>
            {showsAll ? `Show the last ${SHOWN}` : `Show all ${steps.length}`}
          </button>
        )}
      </div>
      <Fault fault={fault} onAgain={again} />
      <ol class="activity" start={shownSteps[0]?.n}>
        {shownSteps.map((step) => (
          <li key={step.n}>
            {textOf(step)}{' '}
            <span class="muted small nowrap">
              <Time at={step.at} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function textOf(step: Step): string {
  switch (step.kind) {
    case 'query':
      return `Query: ${step.query}`;
    case 'hits':
      return `${step.count} hits of ${step.source}${step.reason ? `, which ${step.reason}` : ''}`;
    case 'page_opened':
      return `Opened ${step.title}, ${step.url}${step.redirected_to ? `, redirected to ${URL.parse(step.redirected_to)?.host ?? step.redirected_to}` : ''}`;
    case 'page_refused':
      return `Not opened: ${step.url} ${step.reason}`;
    case 'note':
      return `Note: ${step.text}`;
    case 'claim_rejected':
      return `Rejected (${words(step.reason)}): ${step.text}`;
    case 'coverage':
      return `Sub-question ${step.sub_question} is answered by ${step.documents.length === 1 ? 'document' : 'documents'} ${step.documents.join(', ')}: ${step.text}`;
    case 'budget':
      return `Used: ${Object.entries(step.used)
        .map(([name, used]) => `${used}${name in step.limits ? ` of ${step.limits[name]}` : ''} ${name}`)
        .join(', ')}`;
  }
}
