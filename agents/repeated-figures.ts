/** Whether a story with figures repeats one of the days before: then its figures are no second measurement. */
import type { SourceItem } from '../shared/sources/gathered.ts';
import { fingerprintOf, isNearDuplicate } from './research/rank-stage.ts';

type Story = Pick<SourceItem, 'title' | 'text' | 'publishedAt' | 'figures'>;

const MOST_APART_MS = 3 * 86_400_000;

export const isRetold = (story: Story, before: Story): boolean =>
  repeatsFigures(story, before) && isNearDuplicate(printOf(story), printOf(before));

/** Of two stories that tell the same. Records without a word of text measure each day anew, be their value the same. */
export const repeatsFigures = (story: Story, before: Story): boolean =>
  story.text.trim() !== '' && hasSameFigures(story, before) && isNear(story, before);

const hasSameFigures = ({ figures = [] }: Story, before: Story): boolean =>
  figures.length > 0 && JSON.stringify(figures) === JSON.stringify(before.figures);

const isNear = (story: Story, before: Story): boolean =>
  Math.abs(Date.parse(story.publishedAt ?? '') - Date.parse(before.publishedAt ?? '')) <= MOST_APART_MS;

const printOf = ({ title, text }: Story) => fingerprintOf(`${title}\n${text}`);

const NAMES_OF_TIMES =
  /\d+|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b/gi;

/** What the titles of a series of records have in common: all but their times. */
export const withoutTimes = (title: string): string => title.replaceAll(NAMES_OF_TIMES, '');

/** Whether it measures anew what the item before measured, even if the value is the same. */
export const isNextOfSeries = ({ title, text }: Story, before: Story): boolean =>
  text.trim() === '' || withoutTimes(title) === withoutTimes(before.title);
