/** A plot of bars by day, and the same figures as a table for whoever reads rather than looks. */
import { count } from '../format.ts';
import { FiguresTable } from '../ui/figures-table.tsx';
import { useWidth } from '../ui/use-width.ts';
import { type BarSeries, barsOf, USUAL_WIDTH } from './bars.ts';

type Props = { title: string; about: string; labels: readonly string[]; series: readonly BarSeries[] };

/** Weeks, where a date has room for itself. */
const DAYS = { apart: 7, farApart: 14, leastRoom: 70 };

export function BarPlot({ title, about, labels, series }: Props) {
  const { box, width } = useWidth<SVGSVGElement>(USUAL_WIDTH);
  const { bars, marks, height, left, bottom } = barsOf(series, width);
  const step = (width - left) / Math.max(1, labels.length);
  const every = step * DAYS.apart < DAYS.leastRoom ? DAYS.farApart : DAYS.apart;
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
          (labels.length - 1 - at) % every === 0 ? (
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
        <summary class="small">The same as a table</summary>
        <FiguresTable label={`${title}, as a table`} head="Day" labels={labels} series={series} />
      </details>
    </figure>
  );
}

const compact = new Intl.NumberFormat('en', { notation: 'compact' });
const short = (value: number): string => compact.format(value);
