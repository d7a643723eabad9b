/** The parts of a section on pages. */
import type { ReportBlock, TextRun } from '../report-document.ts';
import { ensureSpace, INK, MARGIN, type PageFlow, WIDTH } from './flow.ts';
import { breakLines, type StyledText, type TextStyle } from './lines.ts';
import { A4, fill, short, stroke } from './pdf-page.ts';
import { putChart } from './put-chart.ts';
import { putLines } from './put-lines.ts';
import { putTable } from './put-table.ts';

export const BODY = { size: 10, leading: 15 };
const GAP = 8;
const INDENT = 18;

const lookOf = ({ fonts }: PageFlow, more: Partial<TextStyle> & { strong?: boolean } = {}): TextStyle => {
  const { strong = false, ...rest } = more;
  return { font: strong ? fonts.semiBold : fonts.regular, size: BODY.size, colour: INK.text, ...rest };
};

export function citedPieces(flow: PageFlow, citations: readonly number[] = [], size = BODY.size): StyledText[] {
  return citations.map((number) => ({
    text: `[${number}]`,
    look: lookOf(flow, { size: size * 0.72, rise: size * 0.33, colour: INK.link, target: { to: `source-${number}` } }),
  }));
}

function piecesOf(flow: PageFlow, runs: readonly TextRun[]): StyledText[] {
  const [plain, strong] = [lookOf(flow), lookOf(flow, { strong: true })];
  return runs.flatMap((run) => [
    { text: run.text, look: run.strong ? strong : plain },
    ...citedPieces(flow, run.citations),
  ]);
}

export function putBlock(flow: PageFlow, block: ReportBlock, language: string): void {
  switch (block.kind) {
    case 'paragraph':
      putText(flow, piecesOf(flow, block.runs), 'P');
      break;
    case 'list':
      putList(flow, block);
      break;
    case 'quote':
      putQuote(flow, block);
      break;
    case 'table':
      putTable(flow, block);
      break;
    case 'chart':
      putChart(flow, block.chart, citedPieces(flow, block.citations), language);
  }
  flow.y += GAP;
}

function putText(flow: PageFlow, pieces: StyledText[], role: string): void {
  const tag = flow.tags.open(flow.tags.root, role);
  putLines(flow, breakLines(pieces, WIDTH), { x: MARGIN.side, leading: BODY.leading, tag });
}

function putList(flow: PageFlow, { items, ordered }: Extract<ReportBlock, { kind: 'list' }>): void {
  const list = flow.tags.open(flow.tags.root, 'L');
  for (const [at, item] of items.entries()) {
    const tag = flow.tags.open(list, 'LI');
    const label = ordered ? `${at + 1}.` : '•';
    putItem(flow, {
      label,
      pieces: piecesOf(flow, item),
      tag: { label: flow.tags.open(tag, 'Lbl'), body: flow.tags.open(tag, 'LBody') },
    });
    flow.y += 2;
  }
}

type Item = {
  label: string;
  pieces: StyledText[];
  tag: { label: ReturnType<PageFlow['tags']['open']>; body: ReturnType<PageFlow['tags']['open']> };
  indent?: number;
};

/** Its label stands beside its first line, wherever that comes to stand. */
export function putItem(flow: PageFlow, { label, pieces, tag, indent = INDENT }: Item): void {
  const look = lookOf(flow, { isTabular: true });
  const lines = breakLines(pieces, WIDTH - indent);
  putLines(flow, lines, {
    x: MARGIN.side + indent,
    leading: BODY.leading,
    tag: tag.body,
    before: (page, top) => {
      const x = MARGIN.side + indent - 6 - look.font.widthOf(label, look.size, true);
      const y = top + BODY.leading / 2 + BODY.size * 0.36;
      page.within(tag.label, () => page.text({ ...look, text: `${label} `, x, y }));
    },
  });
}

function putQuote(flow: PageFlow, { text, citations }: Extract<ReportBlock, { kind: 'quote' }>): void {
  const tag = flow.tags.open(flow.tags.root, 'BlockQuote');
  const pieces = [{ text, look: lookOf(flow, { colour: INK.soft }) }, ...citedPieces(flow, citations)];
  const lines = breakLines(pieces, WIDTH - INDENT);
  const height = lines.length * BODY.leading;
  // A quote that fits on a page is not broken; the bar at its side is drawn only then.
  if (height < 300) {
    ensureSpace(flow, height);
    bar(flow, height);
  }
  putLines(flow, lines, { x: MARGIN.side + INDENT, leading: BODY.leading, tag });
}

function bar({ page, y }: PageFlow, height: number): void {
  const x = short(MARGIN.side + 5);
  const [from, to] = [A4.height - y - 1, A4.height - y - height + 1].map(short);
  page.within(undefined, () => page.raw(`${stroke(INK.line)} 2 w ${x} ${from} m ${x} ${to} l S`));
}

export function putNote(flow: PageFlow, text: string): void {
  const lines = breakLines([{ text, look: lookOf(flow) }], WIDTH - 24);
  const height = lines.length * BODY.leading + 12;
  ensureSpace(flow, height);
  const bottom = short(A4.height - flow.y - height);
  flow.page.within(undefined, () => {
    flow.page.raw(`${fill(INK.note)} ${MARGIN.side} ${bottom} ${short(WIDTH)} ${short(height)} re f`);
    flow.page.raw(`${fill(INK.noteLine)} ${MARGIN.side} ${bottom} 3 ${short(height)} re f`);
  });
  flow.y += 6;
  putLines(flow, lines, { x: MARGIN.side + 14, leading: BODY.leading, tag: flow.tags.open(flow.tags.root, 'Note') });
  flow.y += 12;
}
