/** The page on which a person tries a webhook. */

import { useState } from 'preact/hooks';
import type { ErrandError } from '../../client/src/index.ts';
import { api, faultOf } from '../api.ts';
import { config } from '../config.ts';
import { CaughtList } from '../deliveries/caught-webhooks.tsx';
import { AttemptRow } from '../deliveries/deliveries.tsx';
import { ofAgentAttempt, ofFilesAttempt, type ShownAttempt } from '../deliveries/shown-delivery.ts';
import { answeredFaults, reasonsOf } from '../form/field-faults.ts';
import { maySubmit } from '../session.ts';
import { Fault } from '../ui/fault.tsx';
import { Page } from '../ui/parts.tsx';

/** Tests of webhooks: a signed event of a made-up task, and on one machine the received webhooks. */
export function WebhooksPage() {
  const [round, setRound] = useState(0);
  const { local } = config;
  return (
    <Page
      title="Webhooks"
      about="Every task with a webhook URL sends one signed event when it finishes. The deliveries are on the page of the task."
    >
      <div class="stack">
        {maySubmit() && <TryOut first={local?.catcherUrl ?? ''} onSent={() => setRound(round + 1)} />}
        {local?.catcherUrl && <CaughtList address={local.catcherUrl} round={round} />}
      </div>
    </Page>
  );
}

/** The name of the URL field in each API. */
const FIELDS = [{ path: 'webhook_url' }, { path: 'endpoint' }];
const KINDS = { agents: 'of a background agent', tasks: 'of a prompt task' } as const;

function TryOut({ first: initialAddress, onSent }: { first: string; onSent: () => void }) {
  const [address, setAddress] = useState(initialAddress);
  const [kind, setKind] = useState<keyof typeof KINDS>('agents');
  const [isBusy, setBusy] = useState(false);
  const [attempt, setAttempt] = useState<ShownAttempt>();
  const [fault, setFault] = useState<ErrandError>();
  const marked = fault ? reasonsOf(answeredFaults(fault, FIELDS), FIELDS) : {};
  const wrong = marked.webhook_url ?? marked.endpoint;
  const send = (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setFault(undefined);
    setAttempt(undefined);
    const { agents, tasks } = api();
    const testAttempt =
      kind === 'agents'
        ? agents.testWebhook(address).then(ofAgentAttempt)
        : tasks.testWebhook(address).then(ofFilesAttempt);
    testAttempt
      .then(setAttempt, (error) => setFault(faultOf(error)))
      .finally(() => {
        setBusy(false);
        onSent();
      });
  };
  return (
    <section class="card stack" aria-labelledby="try-out">
      <h2 id="try-out">Send a test event</h2>
      <form class="stack" onSubmit={send} noValidate>
        <div class="field">
          <label htmlFor="try-address">Your address</label>
          <input
            id="try-address"
            type="url"
            value={address}
            placeholder="https://hooks.acme.org/errand"
            maxLength={2_048}
            aria-invalid={wrong !== undefined}
            aria-describedby={wrong && 'address-fault'}
            onInput={(event) => {
              setAddress(event.currentTarget.value);
              setFault(undefined);
            }}
          />
          {wrong && (
            <span id="address-fault" class="field-fault">
              {wrong.join('. ')}
            </span>
          )}
        </div>
        <label class="field">
          <span>Event</span>
          <select value={kind} onChange={(event) => setKind(event.currentTarget.value as keyof typeof KINDS)}>
            {Object.entries(KINDS).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <div class="actions">
          <button type="submit" class="button main" aria-disabled={isBusy}>
            {isBusy ? 'Sending…' : 'Send'}
          </button>
        </div>
      </form>
      <Fault fault={fault} marked={marked} />
      <div role="status">
        {attempt && (
          <ul class="attempts">
            <AttemptRow attempt={attempt} />
          </ul>
        )}
      </div>
    </section>
  );
}
