/** The results of a task, complete or partial. */

import { useState } from 'preact/hooks';
import type { AgentContract } from '../../client/src/index.ts';
import { api } from '../api.ts';
import { count, duration, words } from '../format.ts';
import { type ApiAnswer, useApiData } from '../hooks.ts';
import { isEmpty, ResultView } from '../results/any-result.tsx';
import { Records, recordTables } from '../results/records.tsx';
import { type KeptSource, Report, researchIn } from '../results/report.tsx';
import { Downloads, ResultFiles } from '../results/result-files.tsx';
import { Fault } from '../ui/fault.tsx';
import { Folded, Letters } from '../ui/parts.tsx';

type Status = AgentContract.TaskStatus;
type TaskResults = AgentContract.TaskResults;

export const useResults = (taskId: string): ApiAnswer<TaskResults> =>
  useApiData(`results ${taskId}`, (signal) => api().agents.results(taskId, { signal }));

/** A recurring task has results between its runs. */
const hasRun = ({ last_updated, created_at, output_preview }: Status): boolean =>
  typeof output_preview.next_run_at === 'string' && last_updated !== created_at;

/** The results of a task that has not ended. */
export function ResultsSoFar({ task }: { task: Status }) {
  return hasRun(task) ? <RunResults key={task.status + task.last_updated} taskId={task.task_id} /> : null;
}

const RunResults = ({ taskId }: { taskId: string }) => <Results answer={useResults(taskId)} />;

export function Results({ answer: { data, fault, again } }: { answer: ApiAnswer<TaskResults> }) {
  // A run that has not ended has no results, which is not an error.
  if (fault?.code === 'TASK_NOT_COMPLETED') return null;
  if (fault) return <Fault fault={fault} onAgain={again} />;
  if (!data) return <p class="muted wait">Loading the results…</p>;
  const { files = [], ...resultParts } = data.results;
  const tables = recordTables(resultParts);
  // Records are tables of their own, their schema is part of the request, the counts of rules are details, and a preview
  // stands above the results.
  const { records, output_schema: _, rules, preview: __, ...otherParts } = resultParts as Record<string, unknown>;
  const results = tables.length > 0 ? otherParts : { ...otherParts, records };
  if (data.partial && Object.values(data.results).every(isEmpty)) return <p class="notice">{nothing(data.status)}</p>;
  const report = researchIn(results);
  return (
    <>
      {data.partial && <p class="notice">{partly(data.status)}</p>}
      {tables.length > 0 && <Records tables={tables} />}
      {report && (
        <Report
          report={report}
          keptText={(snapshot) => <KeptText snapshot={snapshot} />}
          downloads={files.length > 0 && <Downloads files={files} onStale={again} />}
        />
      )}
      {!report && !Object.values(results).every(isEmpty) && (
        <section class="card">
          <h2>Results</h2>
          <ResultView data={results} />
        </section>
      )}
      {files.length > 0 && <ResultFiles files={files} onStale={again} />}
      {data.status !== 'failed' && (
        <Folded title="Processing details">
          <Work details={data.processing_details} />
          {Array.isArray(rules) && <ResultView data={{ rules }} />}
        </Folded>
      )}
    </>
  );
}

/** Loaded when the user opens it. */
function KeptText({ snapshot }: { snapshot: KeptSource }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="small">Text as it was read</summary>
      {isOpen && <LoadedText snapshot={snapshot} />}
    </details>
  );
}

function LoadedText({ snapshot: { taskId, source } }: { snapshot: KeptSource }) {
  const { data, fault, again } = useApiData(`source ${taskId} ${source}`, (signal) =>
    api().agents.sourceText(taskId, source, { signal }),
  );
  if (fault) return <Fault fault={fault} onAgain={again} />;
  if (data === undefined) return <p class="muted wait">Loading the text…</p>;
  return <Letters label={`Text of source ${source}`} class="letters file-text" text={data} />;
}

const hasEnded = (status: string): boolean => status === 'failed' || status === 'cancelled';

const nothing = (status: string): string =>
  hasEnded(status) ? 'No results: the task ended before a stage was finished.' : 'No results yet.';

/** A recurring task is never complete while it is active. */
const partly = (status: string): string =>
  hasEnded(status)
    ? 'These results are partial: the output of the finished stages.'
    : 'Results so far: each run adds to them.';

function Work({ details }: { details: TaskResults['processing_details'] }) {
  const { confidence_scores: scores, sources_processed, service_engine_queries, processing_time_minutes } = details;
  return (
    <dl class="tally">
      <div>
        <dd>{count(sources_processed)}</dd>
        <dt>Sources</dt>
      </div>
      <div>
        <dd>{count(service_engine_queries)}</dd>
        <dt>Queries</dt>
      </div>
      <div>
        <dd>{duration(processing_time_minutes)}</dd>
        <dt>Worked</dt>
      </div>
      {Object.entries(scores).map(([name, score]) => (
        <div key={name}>
          <dd>{score === null ? '—' : `${Math.round(score * 100)} %`}</dd>
          <dt>
            {words(name)}
            {SCORE_MEANINGS[name] && <small class="muted">{SCORE_MEANINGS[name]}</small>}
          </dt>
        </div>
      ))}
    </dl>
  );
}

/** One meaning for all agents, as in the reference of the API. */
const SCORE_MEANINGS: Record<string, string> = {
  data_quality: 'how good what was read is; sample data counts half',
  analysis_completeness: 'the share of the requested work that was done',
  source_reliability: 'the share of what was asked of sources that came without a fault',
};
