/** The new items of a notification as they are numbered for a model, and as they are evidence for what it writes. */

import { cleanLine } from '../../engines/mail/email.ts';
import type { GatheredItems, SourceItem } from '../../shared/sources/source-item.ts';
import { sourceName } from '../source-names.ts';
import type { Quote } from '../verification/statement-verdict.ts';
import { newItemsIn } from './since.ts';

export type NewItem = { isSample: boolean; item: SourceItem };

/** What a model is shown of an item. `item` is its number from 1; `date` is its day in the time zone of the e-mail. */
export type ItemView = {
  item: number;
  source: string;
  date?: string;
  title: string;
  text: string;
  figures?: string[];
};

/** The newest of each source come first, so that a limit cuts all sources alike. */
export function newItems(gathered: readonly GatheredItems[], since: number | undefined): NewItem[] {
  return gathered
    .flatMap((source) => newItemsIn(source, since).map((item, nth) => ({ nth, isSample: source.isSample, item })))
    .toSorted((a, b) => a.nth - b.nth)
    .map(({ isSample, item }) => ({ isSample, item }));
}

const MAX_CHARACTERS = 40_000;

/** The items that a model can be shown, numbered; the others are too much text. */
export function itemViews(items: readonly NewItem[], zone: string): ItemView[] {
  const views = items.map(({ item }, nth) => viewOf(item, nth + 1, zone));
  let remaining = MAX_CHARACTERS;
  const end = views.findIndex((view) => {
    remaining -= JSON.stringify(view).length;
    return remaining < 0;
  });
  return end < 0 ? views : views.slice(0, end);
}

/** JSON, one item a line. */
export const itemLines = (views: readonly ItemView[]): string =>
  `Items:\n${views.map((view) => JSON.stringify(view)).join('\n')}`;

/** All words of the item. */
export const wordsOfItem = ({ title, text, figures = [] }: ItemView): string =>
  [title, text, ...figures].filter((line) => line !== '').join('\n');

/** The item as a second look is shown it. */
export const quoteOfItem = (view: ItemView): Quote => ({
  source: [sourceName(view.source), ...(view.date === undefined ? [] : [view.date])].join(', '),
  text: wordsOfItem(view),
});

const MAX_TITLE = 300;
const MAX_TEXT = 1_500;
const MAX_LABEL = 100;
const MAX_UNIT = 50;

function viewOf({ source, title, text, publishedAt, figures = [] }: SourceItem, item: number, zone: string): ItemView {
  return {
    item,
    source,
    ...(publishedAt === undefined ? {} : { date: isoDay(publishedAt, zone) }),
    title: cleanLine(title, MAX_TITLE),
    text: cleanLine(text, MAX_TEXT),
    ...(figures.length === 0
      ? {}
      : {
          figures: figures.map(({ label, value, unit = '' }) =>
            `${cleanLine(label, MAX_LABEL)}: ${value} ${cleanLine(unit, MAX_UNIT)}`.trim(),
          ),
        }),
  };
}

/** The day as the e-mail dates the item. */
const isoDay = (at: string, zone: string): string =>
  new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit', timeZone: zone }).format(
    new Date(at),
  );
