/** A chart of labels and values as lines or bars, with its figures as a table. */
import { FiguresTable, useWidth } from '../ui/parts.tsx';

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

/** Fits labels into their room: wrapped between words, else shortened with an ellipsis. */
const MAX_LINES = 3;
const MAX_CHARACTERS = 200;

/** `widthOf` measures a text in the font of the chart. */
export function linesFor(label: string, room: number, widthOf: (text: string) => number): string[] {
  const lines: string[] = [];
  const text = label.length > MAX_CHARACTERS ? `${label.slice(0, MAX_CHARACTERS)}…` : label;
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = [...lines.slice(-1), word].join(' ');
    if (lines.length > 0 && (widthOf(longer) <= room || lines.length === MAX_LINES)) lines.splice(-1, 1, longer);
    else lines.push(word);
  }
  return lines.map((line) => shortened(line, room, widthOf));
}

function shortened(line: string, room: number, widthOf: (text: string) => number): string {
  if (widthOf(line) <= room) return line;
  const letters = [...line.replace(/…$/, '')];
  while (letters.length > 1 && widthOf(`${letters.join('')}…`) > room) letters.pop();
  return `${letters.join('').trimEnd()}…`;
}

/** Round figures along an axis, and the position of values on it. */
type ChartScale = { min: number; max: number; marks: number[] };

const WANTED_MARKS = 4;
const STEPS = [1, 2, 2.5, 5, 10];

/** Bars start at zero; lines need not. */
export function scaleOf(values: readonly number[], { fromZero }: { fromZero: boolean }): ChartScale {
  const finite = values.filter(Number.isFinite);
  let min = Math.min(...(fromZero ? [0] : []), ...finite);
  let max = Math.max(...(fromZero ? [0] : []), ...finite);
  if (!Number.isFinite(min)) [min, max] = [0, 1];
  if (min === max) [min, max] = min === 0 ? [0, 1] : [min - Math.abs(min) / 2, max + Math.abs(max) / 2];
  const rough = (max - min) / WANTED_MARKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (STEPS.find((factor) => factor * power >= rough) ?? 10) * power;
  const firstStep = Math.floor(min / step);
  const lastStep = Math.ceil(max / step);
  const marks = Array.from({ length: lastStep - firstStep + 1 }, (_, index) =>
    Number(((firstStep + index) * step).toPrecision(12)),
  );
  return { min: marks[0] ?? min, max: marks.at(-1) ?? max, marks };
}

/** From 0 at the start of the axis to 1 at its end. */
export const placeOn = ({ min, max }: ChartScale, value: number): number => (value - min) / (max - min);

/** The distance between labels, so that at most `max` are shown; the first is always one of them. */
export function everyNth(count: number, max: number): number {
  return Math.max(1, Math.ceil(count / Math.max(1, max)));
}

/** The width of a text in the page's font, at the size of chart labels in `chart.css`. */
let pen: CanvasRenderingContext2D | null | undefined;

function widthOfText(text: string): number {
  pen ??= document.createElement('canvas').getContext('2d');
  if (!pen) return text.length * 6;
  pen.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}

/** The positions of a chart's bars in pixels. */
export type BarSeries = { name: string; values: readonly number[] };
type Bar = { x: number; y: number; width: number; height: number; series: number; at: number };
type Mark = { y: number; value: number };
type DrawnBars = { bars: Bar[]; marks: Mark[]; width: number; height: number; left: number; bottom: number };

const SIZE = { height: 170, left: 44, right: 0, top: 10, below: 24 };
export const DEFAULT_WIDTH = 440;
const BAR_GAP = 0.28;
const MARKS = 4;

/** Bars at the same position are stacked. */
export function barsOf(series: readonly BarSeries[], width = DEFAULT_WIDTH): DrawnBars {
  const { height, left, right, top, below } = SIZE;
  const places = Math.max(1, ...series.map(({ values }) => values.length));
  const sums = Array.from({ length: places }, (_, at) =>
    series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0),
  );
  const max = niceAbove(Math.max(...sums, 1));
  const bottom = height - below;
  const yOf = (value: number) => bottom - (value / max) * (bottom - top);
  const step = (width - left - right) / places;
  const bars = sums.flatMap((_, at) => {
    let under = 0;
    return series.flatMap(({ values }, index): Bar[] => {
      const value = values[at] ?? 0;
      if (value <= 0) return [];
      const y = yOf(under + value);
      const bar = { x: left + step * (at + BAR_GAP / 2), y, width: step * (1 - BAR_GAP), height: yOf(under) - y };
      under += value;
      return [{ ...bar, series: index, at }];
    });
  });
  const steps = Math.min(MARKS, max);
  const marks = Array.from({ length: steps + 1 }, (_, at) => (max / steps) * at).filter(Number.isInteger);
  return { bars, marks: marks.map((value) => ({ value, y: yOf(value) })), width, height, left, bottom };
}

/** The next of 1, 2, 4, 8 ... 20, 40, 80, because multiples of four are easy to read. */
export function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 4, 8, 10].map((times) => times * power).find((nice) => nice >= value) ?? value;
}
