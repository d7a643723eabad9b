/** The numbers that Word writes before paragraphs: they are nowhere in the text, and clauses are cited by them. */
import { attribute, childOf, elementsOf, type XmlElement } from '../markup/parse-xml.ts';
import { formatListNumber } from './counted.ts';
import { valOf } from './styles.ts';

type Level = { start: number; format: string; text: string };
type List = { abstractId: string; starts: Map<number, number> };

/** Counts on: to be asked for each numbered paragraph once, in order. */
export type Numbering = (numberId: string, depth: number) => string | undefined;

export function numberingOf(root: XmlElement | undefined): Numbering {
  const all = root ? elementsOf(root).flatMap(elementsOf) : [];
  const levels = new Map<string, Level[]>();
  const lists = new Map<string, List>();
  for (const element of all) {
    if (element.name === 'abstractNum') levels.set(attribute(element, 'abstractNumId') ?? '', levelsOf(element));
    if (element.name === 'num') lists.set(attribute(element, 'numId') ?? '', listOf(element));
  }
  const counters = new Map<string, number[]>();
  const begun = new Set<string>();

  return function next(numberId, depth) {
    const list = lists.get(numberId);
    const own = list && levels.get(list.abstractId);
    const level = own?.[depth];
    if (!list || !own || !level) return undefined;
    if (level.format === 'bullet') return '-';
    const counts = counters.get(list.abstractId) ?? [];
    counters.set(list.abstractId, counts);
    const restart = begun.has(`${numberId}/${depth}`) ? undefined : list.starts.get(depth);
    begun.add(`${numberId}/${depth}`);
    counts[depth] = restart ?? (counts[depth] ?? level.start - 1) + 1;
    counts.length = depth + 1;
    const mark = level.text.replaceAll(/%(\d)/g, (_, place) => {
      const at = Number(place) - 1;
      return formatListNumber(counts[at] ?? own[at]?.start ?? 1, own[at]?.format ?? 'decimal');
    });
    return mark.trim() === '' ? undefined : mark;
  };
}

function levelsOf(abstract: XmlElement): Level[] {
  const levels: Level[] = [];
  for (const level of elementsOf(abstract).filter(({ name }) => name === 'lvl')) {
    levels[Number(attribute(level, 'ilvl') ?? 0)] = {
      start: Number(valOf(childOf(level, 'start')) ?? 1),
      format: valOf(childOf(level, 'numFmt')) ?? 'decimal',
      text: valOf(childOf(level, 'lvlText')) ?? '',
    };
  }
  return levels;
}

function listOf(list: XmlElement): List {
  const starts = new Map<number, number>();
  for (const override of elementsOf(list).filter(({ name }) => name === 'lvlOverride')) {
    const start = valOf(childOf(override, 'startOverride'));
    if (start !== undefined) starts.set(Number(attribute(override, 'ilvl') ?? 0), Number(start));
  }
  return { abstractId: valOf(childOf(list, 'abstractNumId')) ?? '', starts };
}
