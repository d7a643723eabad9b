/** The colours of charts: apart for colour-blind eyes, and at 3 to 1 or more against their paper. */
import type { Paint } from './drawing.ts';

type Colours = { series: readonly string[]; paper: string; ink: string; soft: string; grid: string; axis: string };

export const LIGHT: Colours = {
  series: ['#0081dd', '#e37400', '#559c79', '#a05392', '#76702f', '#2e3543'],
  paper: '#ffffff',
  ink: '#1b2330',
  soft: '#55606e',
  grid: '#e3e7ec',
  axis: '#8a94a1',
};

export const DARK: Colours = {
  series: ['#0c95ea', '#d87749', '#4de7b2', '#ffaff0', '#d5d34d', '#879098'],
  paper: '#161b22',
  ink: '#e8ebf0',
  soft: '#a7b0bc',
  grid: '#2c343f',
  axis: '#77828f',
};

const COLOURS = LIGHT.series.length;

export const colourOf = (paint: Paint, { series, ...others }: Colours): string =>
  typeof paint === 'string' ? others[paint] : (series[paint.series % COLOURS] ?? others.ink);

/** The second round of colours is told from the first by dashes and by hollow bars. */
export const isSecondRound = (series: number): boolean => series >= COLOURS;

/** Names of paints for style sheets, as a page in the dark needs them. */
export const className = (paint: Paint): string =>
  typeof paint === 'string' ? `c-${paint}` : `c-${(paint.series % COLOURS) + 1}`;
