/** A chart of labels and values as lines or bars, with its figures as a table. */
import { FiguresTable, useWidth } from '../ui/parts.tsx';
import { everyNth, linesFor, widthOfText } from './chart-labels.ts';
import { type ChartScale, placeOn, scaleOf } from './chart-scale.ts';

const FIRST_WIDTH = 640;
const [LEFT, RIGHT, TOP, HIGH] = [64, 12, 12, 200];
/** The minimum room per label: each bar has its own label, a line has space between its labels. */
const MIN_ROOM = { bar: 44, line: 90 };
const [GAP, LINE_HIGH] = [8, 13];
/** The tails of letters such as `y` hang this far below their line. */
const TAIL = 4;
const MAX_SERIES = 12;

const yOf = (scale: ChartScale, value: number): number => TOP + HIGH * (1 - placeOn(scale, value));
const compact = new Intl.NumberFormat('en', { maximumSignificantDigits: 6 });

export function Chart({ chart }: { chart: ChartData }) {
  const series = chart.series.slice(0, MAX_SERIES);
  const values = series.flatMap((line) => line.values.filter((value) => value !== null));
  const scale = scaleOf(values, { fromZero: chart.kind === 'bar' });
  const { box, width } = useWidth<HTMLElement>(FIRST_WIDTH);
  const slot = (width - LEFT - RIGHT) / Math.max(1, chart.labels.length);
  const xOf = (index: number): number => LEFT + slot * (index + 0.5);
  const labels = labelsOf(chart, { width, slot, xOf });
  const high = TOP + HIGH + GAP + LINE_HIGH * Math.max(1, ...labels.map(({ lines }) => lines.length)) + TAIL;
  return (
    <figure class="chart" ref={box}>
      <figcaption>
        {chart.title}
        {chart.unit && <span class="muted small"> {chart.unit}</span>}
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${high}`}
        role="img"
        aria-label={`${chart.title}. The values are in the table below.`}
      >
        {scale.marks.map((mark) => (
          <g key={mark}>
            <line class="grid" x1={LEFT} x2={width - RIGHT} y1={yOf(scale, mark)} y2={yOf(scale, mark)} />
            <text x={LEFT - 8} y={yOf(scale, mark) + 4} text-anchor="end">
              {compact.format(mark)}
            </text>
          </g>
        ))}
        {labels.map(({ x, label, lines }) => (
          <text key={x} y={TOP + HIGH + GAP} text-anchor="middle">
            <title>{label}</title>
            {lines.map((line, at) => (
              <tspan key={at} x={x} dy={LINE_HIGH}>
                {line}
              </tspan>
            ))}
          </text>
        ))}
        {chart.kind === 'bar' ? (
          <Bars series={series} scale={scale} slot={slot} xOf={xOf} />
        ) : (
          <Lines series={series} scale={scale} xOf={xOf} />
        )}
      </svg>
      {series.length > 1 && (
        <ul class="legend small">
          {series.map(({ name }, index) => (
            <li key={name} class={`series-${index % 6}`}>
              <span>{name}</span>
            </li>
          ))}
        </ul>
      )}
      {chart.note && <p class="muted small">{chart.note}</p>}
      <Figures chart={{ ...chart, series }} />
    </figure>
  );
}

type Place = { width: number; slot: number; xOf: (index: number) => number };

/** The labels that have room, each wrapped into lines. */
function labelsOf({ labels, kind }: ChartData, { width, slot, xOf }: Place) {
  const labelInterval = everyNth(labels.length, Math.floor((width - LEFT - RIGHT) / MIN_ROOM[kind]));
  return labels.flatMap((label, index) => {
    if (index % labelInterval !== 0) return [];
    const x = xOf(index);
    const room = Math.min(slot * labelInterval, 2 * x, 2 * (width - x)) - GAP;
    return [{ x, label, lines: linesFor(label, room, widthOfText) }];
  });
}

type Drawn = { series: ChartData['series']; scale: ChartScale; xOf: (index: number) => number };

/** A missing value interrupts the line. */
const Lines = ({ series, scale, xOf }: Drawn) => (
  <>
    {series.map(({ name, values }, at) => {
      const points = values.map((value, index) =>
        value === null ? undefined : ([xOf(index), yOf(scale, value)] as const),
      );
      const path = points
        .map((point, index) => point && `${points[index - 1] ? 'L' : 'M'}${point[0].toFixed(1)} ${point[1].toFixed(1)}`)
        .filter(Boolean)
        .join('');
      return (
        <g key={name} class={`series-${at % 6}`}>
          <path class="line" d={path} />
          {points.length <= 40 &&
            points.map((point) => point && <circle key={point[0]} cx={point[0]} cy={point[1]} r={2.5} />)}
        </g>
      );
    })}
  </>
);

function Bars({ series, scale, slot, xOf }: Drawn & { slot: number }) {
  const width = Math.min(48, (slot * 0.7) / Math.max(1, series.length));
  const ground = yOf(scale, 0);
  return (
    <>
      {series.map(({ name, values }, at) => (
        <g key={name} class={`series-${at % 6}`}>
          {values.map((value, index) => {
            if (value === null) return null;
            const top = yOf(scale, value);
            const barLeft = xOf(index) + (at - series.length / 2) * width;
            return (
              <rect
                key={xOf(index)}
                class="bar"
                x={barLeft}
                y={Math.min(top, ground)}
                width={Math.max(1, width - 1)}
                height={Math.abs(ground - top)}
              />
            );
          })}
        </g>
      ))}
    </>
  );
}

const Figures = ({ chart: { labels, series } }: { chart: ChartData }) => (
  <details class="figures">
    <summary class="small">Figures</summary>
    <FiguresTable label="Table" head={<span class="unseen">Label</span>} labels={labels} series={series} />
  </details>
);

/** The data of a chart. */
export type ChartData = {
  title: string;
  kind: 'line' | 'bar';
  unit?: string | undefined;
  labels: readonly string[];
  series: readonly { name: string; values: readonly (number | null)[] }[];
  /** The source of the figures. */
  note?: string | undefined;
};
