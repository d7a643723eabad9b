/** Text that may hold HTML, as text: nothing of it can be a tag, a script or an address that loads something. */
import { startBudget } from '../markdown/budget.ts';
import { readHtml } from '../markup/read-html.ts';
import type { ReaderInput } from '../read-document.ts';

/** Before it is read: HTML says little with many bytes. */
const MAX_HTML = 400_000;
const MARKUP = /<[a-z!/]|&#?[a-z\d]{1,31};/i;
const CONTROLS = /[^\P{Cc}\n\t]|[\p{Bidi_Control}\u{feff}]/gu;

export function plainText(text: string, max: number, { limits, assets }: ReaderInput): string {
  const html = text.slice(0, MAX_HTML);
  if (!MARKUP.test(html)) return cleanText(html, max);
  const parts = readHtml({ limits, assets, bytes: Buffer.from(html), budget: startBudget(limits) });
  return cleanText(parts.map((part) => part.text).join('\n\n'), max);
}

export const cleanText = (text: string, max: number): string =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(CONTROLS, '')
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
    .slice(0, max)
    .toWellFormed();

export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
