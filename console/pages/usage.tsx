/** Usage: limits, what is left of them, and the last thirty days. */

import type { AgentContract } from '../../client/src/index.ts';
import { api } from '../api.ts';
import { count } from '../format.ts';
import { useApiData } from '../hooks.ts';
import { type BarSeries, barsOf, DEFAULT_WIDTH } from '../results/bar-plot.ts';
import { Fault } from '../ui/fault.tsx';
import { FiguresTable, Page, Scroll, useWidth } from '../ui/parts.tsx';

type Props = { title: string; about: string; labels: readonly string[]; series: readonly BarSeries[] };

/** Days between the dates on the axis, and the room in pixels that a date needs for the smaller distance. */
const DAYS = { apart: 7, farApart: 14, minRoom: 70 };

/** A bar chart by day, with the same figures as a table for screen readers. */
function BarPlot({ title, about, labels, series }: Props) {
  const { box, width } = useWidth<SVGSVGElement>(DEFAULT_WIDTH);
  const { bars, marks, height, left, bottom } = barsOf(series, width);
  const step = (width - left) / Math.max(1, labels.length);
  const labelInterval = step * DAYS.apart < DAYS.minRoom ? DAYS.farApart : DAYS.apart;
  return (
    <figure class="plot card">
      <figcaption>
        <h2>{title}</h2>
        <p class="small muted">{about}</p>
        {series.length > 1 && (
          <ul class="plot-legend small">
            {series.map(({ name }, index) => (
              <li key={name}>
                <span class={`swatch series-${index}`} aria-hidden="true" /> {name}
              </li>
            ))}
          </ul>
        )}
      </figcaption>
      <svg ref={box} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${title}: ${about}`}>
        {marks.map(({ y, value }) => (
          <g key={value}>
            <line class="plot-line" x1={left} x2={width} y1={y} y2={y} />
            <text class="plot-words" x={left - 8} y={y + 4} text-anchor="end">
              {short(value)}
            </text>
          </g>
        ))}
        {bars.map((bar) => (
          <rect
            key={`${bar.at} ${bar.series}`}
            class={`series-${bar.series}`}
            x={bar.x}
            y={bar.y}
            width={bar.width}
            height={Math.max(1, bar.height)}
            rx="1.5"
          >
            <title>{`${labels[bar.at]}: ${count(series[bar.series]?.values[bar.at] ?? 0)} ${series[bar.series]?.name}`}</title>
          </rect>
        ))}
        {labels.map((label, at) =>
          (labels.length - 1 - at) % labelInterval === 0 ? (
            <text
              key={label}
              class="plot-words"
              x={left + step * (at + 0.5)}
              y={bottom + 18}
              text-anchor={at === labels.length - 1 ? 'end' : 'middle'}
            >
              {label}
            </text>
          ) : null,
        )}
      </svg>
      <details>
        <summary class="small">Show as a table</summary>
        <FiguresTable label={`${title}, as a table`} head="Day" labels={labels} series={series} />
      </details>
    </figure>
  );
}

const compact = new Intl.NumberFormat('en', { notation: 'compact' });
const short = (value: number): string => compact.format(value);

type Usage = AgentContract.Usage;
type Window = Usage['limits'][number]['minute'];

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** The organization's limits, what is left of them, and its last thirty days. */
export function UsagePage() {
  const { data, fault, isLoading, again } = useApiData('usage', (signal) => api().agents.usage({ signal }));
  return (
    <Page
      title="Usage and limits"
      about="Background agents, for the whole organization. Days and windows are in UTC."
      actions={
        <button type="button" class="button" onClick={again} aria-disabled={isLoading}>
          Refresh
        </button>
      }
    >
      <Fault fault={fault} onAgain={again} />
      {data ? <UsageCharts usage={data} /> : isLoading && <p class="muted">Loading…</p>}
    </Page>
  );
}

function UsageCharts({ usage: { days: newestFirst, limits, unfinished_tasks: open } }: { usage: Usage }) {
  const days = newestFirst.toReversed();
  const labels = days.map(({ date }) => day.format(Date.parse(date)));
  const sum = (values: number[]) => count(values.reduce((a, b) => a + b, 0));
  const tasks = days.map((usageDay) => usageDay.tasks);
  const input = days.map((usageDay) => usageDay.input_tokens);
  const output = days.map((usageDay) => usageDay.output_tokens);
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
                  <LimitMeters calls={calls} of={minute} per="minute" />
                  <LimitMeters calls={calls} of={hour} per="hour" />
                </tr>
              ))}
              <tr>
                <th scope="row">Unfinished tasks</th>
                <td colSpan={2}>
                  <Meter label="Unfinished tasks" value={open.count} max={open.most} />
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

function LimitMeters({ calls, of, per }: { calls: string; of: Window | undefined; per: string }) {
  if (!of) return <td class="muted">—</td>;
  return (
    <td>
      <Meter label={`${calls}, left this ${per}`} value={of.left} max={of.most} />
      <span class="nowrap">
        {count(of.left)} of {count(of.most)}
      </span>
    </td>
  );
}

const Meter = ({ label, value, max: limit }: { label: string; value: number; max: number }) => (
  <meter aria-label={label} min={0} max={limit} value={value} />
);
