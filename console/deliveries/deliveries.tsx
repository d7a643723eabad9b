/** The part of a task's page about its webhooks. */

import { useEffect, useState } from 'preact/hooks';
import type { ErrandError } from '../../client/src/index.ts';
import { api, faultOf } from '../api.ts';
import { count } from '../format.ts';
import { useApiData } from '../hooks.ts';
import { maySubmit } from '../session.ts';
import { Fault } from '../ui/fault.tsx';
import { Badge } from '../ui/list.tsx';
import { Time } from '../ui/parts.tsx';
import {
  isTaken,
  lookAgainInMs,
  ofAgents,
  ofFiles,
  outcomeOf,
  type ShownAttempt,
  type ShownDelivery,
} from './shown-delivery.ts';

/** One attempt of a webhook: its time, duration, outcome, and the start of the response. */
export const AttemptRow = ({ attempt }: { attempt: ShownAttempt }) => (
  <li class="attempt">
    <p class="attempt-head">
      {attempt.number !== undefined && <span class="muted small">#{attempt.number}</span>}
      <strong class={isTaken(attempt) ? 'good' : 'bad'}>{outcomeOf(attempt)}</strong>
      <span class="muted small nowrap">
        <Time at={attempt.at} /> · {count(attempt.ms)} ms
      </span>
    </p>
    {attempt.answer !== '' && <pre class="sunk">{attempt.answer}</pre>}
  </li>
);

type DeliveryApi = 'agents' | 'prompts';
/** `state`: the task's state; a change may start a delivery. */
type Props = { kind: DeliveryApi; taskId: string; state?: string };

/** The webhooks of a task: each delivery with its attempts and their responses, and a button for redelivery. */
export function Deliveries({ kind, taskId, state = '' }: Props) {
  const { data, fault, again } = useApiData(`${kind} ${taskId} deliveries ${state}`, (signal) =>
    kind === 'agents'
      ? api()
          .agents.deliveries(taskId, { signal })
          .then((deliveries) => deliveries.map(ofAgents))
      : api()
          .tasks.deliveries(taskId, { signal })
          .then((deliveries) => deliveries.map(ofFiles)),
  );
  useEffect(() => {
    const wait = data && lookAgainInMs(data, Date.now());
    if (wait === undefined) return;
    const timer = setTimeout(again, wait);
    return () => clearTimeout(timer);
  }, [data, again]);
  return (
    <section class="card stack" aria-labelledby={`deliveries-${taskId}`}>
      <div class="section-head">
        <h2 id={`deliveries-${taskId}`}>Webhook deliveries</h2>
        <button type="button" class="button quiet" onClick={again}>
          Refresh
        </button>
      </div>
      <Fault fault={fault} onAgain={again} />
      {data?.length === 0 && <p class="muted small">No deliveries yet. One is sent when the task finishes.</p>}
      {data?.map((delivery) => (
        <DeliveryRow key={delivery.id} delivery={delivery} kind={kind} taskId={taskId} onSent={again} />
      ))}
    </section>
  );
}

type DeliveryProps = { delivery: ShownDelivery; kind: DeliveryApi; taskId: string; onSent: () => void };

function DeliveryRow({ delivery: { id, address, state, nextAt, attempts }, kind, taskId, onSent }: DeliveryProps) {
  const [fault, setFault] = useState<ErrandError>();
  const [isBusy, setBusy] = useState(false);
  const redeliver = () => {
    if (isBusy) return;
    setBusy(true);
    setFault(undefined);
    const { agents, tasks } = api();
    const redelivery: Promise<unknown> = kind === 'agents' ? agents.redeliver(taskId, id) : tasks.redeliver(taskId, id);
    redelivery.then(onSent, (error) => setFault(faultOf(error))).finally(() => setBusy(false));
  };
  return (
    <article class="delivery stack" aria-label={`Delivery to ${address}`}>
      <div class="section-head">
        <span class="row-name">
          <code>{address}</code>
          <span class="small muted">
            {nextAt && state === 'pending' ? (
              <>
                next attempt <Time at={nextAt} isPlanned />
              </>
            ) : (
              `${attempts.length} ${attempts.length === 1 ? 'attempt' : 'attempts'}`
            )}
          </span>
        </span>
        <span class="actions">
          <Badge state={state} />
          {maySubmit() && (
            <button type="button" class="button" onClick={redeliver} aria-disabled={isBusy}>
              Redeliver
            </button>
          )}
        </span>
      </div>
      <Fault fault={fault} />
      {attempts.length > 0 && (
        <ol class="attempts" aria-label="Attempts">
          {attempts.map((attempt) => (
            <AttemptRow key={attempt.number} attempt={attempt} />
          ))}
        </ol>
      )}
    </article>
  );
}
