/** Mutants of the guard without one row of a list, or with another start or end of a range. */
import { type Edit, type Noticer, sourceOf } from './mutants.ts';

const TEXT = /(?<!\w)'[^'\n]*',?/g;
const PAIR_OR_PORT = /(?<!: )\[[\d_]+, [\d_]+\],?|(?<![\d_])[\d_]+(?![\d_]),?/g;

function rowsOf(file: string, list: string, by: Noticer, row = TEXT): Edit[] {
  const source = sourceOf(file);
  const start = source.indexOf(`const ${list}`);
  const end = source.indexOf(';\n', start);
  if (start < 0) throw new Error(`${file} has no ${list}.`);
  const rows = [...source.slice(0, end).matchAll(row)].filter(({ index }) => index > start);
  return rows.map(({ index: at, 0: find }) => ({ file, at, find, put: '', by }));
}

/** Ranges whose neighbour is refused anyway, so that a mutant changes nothing. */
const NEVER_WIDER = ['224.0.0.0/4', '240.0.0.0/4'];

function otherBits(edit: Edit): Edit[] {
  const [, range = '', base = '', bits = ''] = /'((.*)\/(\d+))'/.exec(edit.find) ?? [];
  const narrower = Number(bits) + 1;
  const wider = Number(bits) - 1;
  const isSingle = narrower > (base.includes(':') ? 128 : 32);
  const kept = [...(isSingle ? [] : [narrower]), ...(NEVER_WIDER.includes(range) ? [] : [wider])];
  return kept.map((other) => ({ ...edit, put: `'${base}/${other}',` }));
}

function otherEnds(edit: Edit): Edit[] {
  const [, first, last] = /\[([\d_]+), ([\d_]+)\]/.exec(edit.find) ?? [];
  if (!first || !last) return [];
  const [from, to] = [first, last].map((text) => Number(text.replaceAll('_', '')));
  if (from === undefined || to === undefined) return [];
  return [`[${from + 1}, ${to}],`, `[${from}, ${to - 1}],`].map((put) => ({ ...edit, put }));
}

const ranges = ['REFUSED_IPV4', 'GLOBAL_IPV6', 'REFUSED_IPV6'].flatMap((list) =>
  rowsOf('public-ip.ts', list, 'judging'),
);
const ports = rowsOf('refused-ports.ts', 'SERVICES', 'judging', PAIR_OR_PORT);

export const ROW_MUTANTS: readonly Edit[] = [
  ...ranges,
  ...ranges.flatMap(otherBits),
  ...rowsOf('public-host.ts', 'REFUSED_SUFFIXES', 'judging'),
  ...rowsOf('public-ip.ts', 'METADATA_IPV4', 'judging'),
  ...rowsOf('public-ip.ts', 'METADATA_IPV6', 'judging'),
  ...ports,
  ...ports.flatMap(otherEnds),
  ...rowsOf('request.ts', 'REDIRECT_STATUSES', 'redirects', PAIR_OR_PORT),
  ...rowsOf('request.ts', 'CROSS_ORIGIN_HEADERS', 'redirects'),
  ...rowsOf('request.ts', 'CONTROLLED_HEADERS', 'messages'),
];
