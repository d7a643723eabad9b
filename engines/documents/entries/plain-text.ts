/** Text that may hold HTML, as text: nothing of it can be a tag, a script or an address that loads something. */
import { budgetOf } from '../markdown/budget.ts';
import { readHtml } from '../markup/read-html.ts';
import type { Reading } from '../read-document.ts';

/** Before it is read: HTML says little with many bytes. */
const MOST_HTML = 400_000;
const MARKUP = /<[a-z!/]|&#?[a-z\d]{1,31};/i;
const CONTROLS = /[^\P{Cc}\n\t]|[\p{Bidi_Control}\u{feff}]/gu;

export function plainText(text: string, most: number, { limits, assets }: Reading): string {
  const given = text.slice(0, MOST_HTML);
  if (!MARKUP.test(given)) return tidy(given, most);
  const parts = readHtml({ limits, assets, bytes: Buffer.from(given), budget: budgetOf(limits) });
  return tidy(parts.map((part) => part.text).join('\n\n'), most);
}

export const tidy = (text: string, most: number): string =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(CONTROLS, '')
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
    .slice(0, most)
    .toWellFormed();

export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
