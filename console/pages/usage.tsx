/** What the organization may do, what is left of it, and what it did in the last thirty days. */
import type { AgentContract } from '../../client/src/index.ts';
import { api } from '../api.ts';
import { count } from '../format.ts';
import { BarPlot } from '../plots/bar-plot.tsx';
import { Fault } from '../ui/fault.tsx';
import { Page } from '../ui/page.tsx';
import { Scroll } from '../ui/scroll.tsx';
import { useAsked } from '../use-asked.ts';

type Usage = AgentContract.Usage;
type Window = Usage['limits'][number]['minute'];

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

export function UsagePage() {
  const { data, fault, isLoading, again } = useAsked('usage', (signal) => api().agents.usage({ signal }));
  return (
    <Page
      title="Usage and limits"
      about="Of background agents, for the whole organization. Days and windows are those of UTC."
      actions={
        <button type="button" class="button" onClick={again} aria-disabled={isLoading}>
          Look again
        </button>
      }
    >
      <Fault fault={fault} onAgain={again} />
      {data ? <Shown usage={data} /> : isLoading && <p class="muted">Loading…</p>}
    </Page>
  );
}

function Shown({ usage: { days: newestFirst, limits, unfinished_tasks: open } }: { usage: Usage }) {
  const days = newestFirst.toReversed();
  const labels = days.map(({ date }) => day.format(Date.parse(date)));
  const sum = (values: number[]) => count(values.reduce((a, b) => a + b, 0));
  const tasks = days.map((each) => each.tasks);
  const input = days.map((each) => each.input_tokens);
  const output = days.map((each) => each.output_tokens);
  return (
    <div class="stack">
      <div class="plots">
        <BarPlot
          title="Tasks"
          about={`${sum(tasks)} in ${days.length} days`}
          labels={labels}
          series={[{ name: 'tasks', values: tasks }]}
        />
        <BarPlot
          title="Tokens"
          about={`${sum(input)} read and ${sum(output)} written by models`}
          labels={labels}
          series={[
            { name: 'tokens read', values: input },
            { name: 'tokens written', values: output },
          ]}
        />
      </div>
      <section class="card stack" aria-labelledby="limits">
        <h2 id="limits">Limits</h2>
        <Scroll label="Limits, as a table">
          <table class="limits">
            <thead>
              <tr>
                <th scope="col">Calls</th>
                <th scope="col">Left this minute</th>
                <th scope="col">Left this hour</th>
              </tr>
            </thead>
            <tbody>
              {limits.map(({ calls, minute, hour }) => (
                <tr key={calls}>
                  <th scope="row">
                    <code>{calls}</code>
                  </th>
                  <Left calls={calls} of={minute} per="minute" />
                  <Left calls={calls} of={hour} per="hour" />
                </tr>
              ))}
              <tr>
                <th scope="row">Unfinished tasks</th>
                <td colSpan={2}>
                  <Meter label="Unfinished tasks" value={open.count} most={open.most} />
                  {count(open.count)} of {count(open.most)}
                </td>
              </tr>
            </tbody>
          </table>
        </Scroll>
      </section>
    </div>
  );
}

function Left({ calls, of, per }: { calls: string; of: Window | undefined; per: string }) {
  if (!of) return <td class="muted">—</td>;
  return (
    <td>
      <Meter label={`${calls}, left this ${per}`} value={of.left} most={of.most} />
      <span class="nowrap">
        {count(of.left)} of {count(of.most)}
      </span>
    </td>
  );
}

const Meter = ({ label, value, most }: { label: string; value: number; most: number }) => (
  <meter aria-label={label} min={0} max={most} value={value} />
);
