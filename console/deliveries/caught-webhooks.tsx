/** The webhooks that this machine received: signature, headers and body. */
import { bytes } from '../format.ts';
import { useApiData } from '../hooks.ts';
import type { Caught } from '../machine/local-answers.ts';
import { caughtWebhooks } from '../machine/local-only.ts';
import { useVisiblePolling } from '../polling.ts';
import { Fault } from '../ui/fault.tsx';
import { Time } from '../ui/parts.tsx';

/** `round` changes after a webhook may have been sent. */
export function CaughtList({ address, round }: { address: string; round: number }) {
  const { data, fault, again } = useApiData(`caught ${round}`, caughtWebhooks);
  useVisiblePolling(again);
  return (
    <section class="card stack" aria-labelledby="caught">
      <h2 id="caught">Received on this machine</h2>
      <p class="small muted">
        <code>{address}</code> takes any POST and keeps the newest hundred until the product stops. Put{' '}
        <code>?answer=503</code> to the URL to see how a rejected webhook is retried.
      </p>
      <Fault fault={fault} />
      {data?.length === 0 && <p class="muted">Nothing yet.</p>}
      <ul class="caught" aria-label="Caught webhooks">
        {data?.map((webhook) => (
          <Row key={webhook.seq} caught={webhook} />
        ))}
      </ul>
    </section>
  );
}

const Row = ({ caught }: { caught: Caught }) => (
  <li>
    <details>
      <summary>
        <strong class={caught.signatures.length > 0 ? 'good' : 'bad'}>
          {caught.signatures.length > 0 ? 'Signature valid' : 'No valid signature'}
        </strong>
        <code class="clip">{caught.path}</code>
        <span class="small muted nowrap">
          <Time at={caught.at} /> · {bytes(caught.bytes)} · answered {caught.answered}
        </span>
      </summary>
      <div class="stack">
        {caught.signatures.length > 0 && <p class="small muted">Verified by {caught.signatures.join(', ')}.</p>}
        <h3>Head</h3>
        <dl class="pairs">
          {caught.headers.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <h3>Body{caught.isCut && ', its first 64 KB'}</h3>
        <pre class="sunk">{pretty(caught.body)}</pre>
      </div>
    </details>
  </li>
);

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
