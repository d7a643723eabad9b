/** How mails look: colours that read well on their ground, and what becomes of them where it is dark. */
import { escapeHtml } from '../../shared/core/console.ts';

export const COLOURS = {
  page: '#eef1f5',
  card: '#ffffff',
  words: '#1b2430',
  quiet: '#566273',
  link: '#1f5fbf',
  line: '#dfe4ea',
} as const;

export const FONT =
  "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;text-align:left";

/** Pictures keep their light ground. */
export const DARK_STYLE = [
  ':root{color-scheme:light dark;supported-color-schemes:light dark}',
  '@media (prefers-color-scheme:dark){',
  '.page{background-color:#12161c!important}',
  '.card{background-color:#1c222b!important}',
  '.words{color:#edf1f6!important}',
  '.quiet{color:#a5b0be!important}',
  '.link{color:#8cb8ff!important}',
  '.line{border-color:#36404d!important}',
  '}',
].join('');

type Size = { text: number; line: number; below: number };

export const paragraph = (
  text: string,
  { text: size, line, below }: Size = { text: 16, line: 24, below: 12 },
): string =>
  `<p class="words" style="margin:0 0 ${below}px;font-size:${size}px;line-height:${line}px;color:${COLOURS.words};overflow-wrap:anywhere">${escapeHtml(text)}</p>`;

export const subheading = (text: string): string =>
  `<h2 class="words" style="margin:0 0 12px;font-size:18px;line-height:25px;font-weight:700;color:${COLOURS.words};overflow-wrap:anywhere">${escapeHtml(text)}</h2>`;

export const remark = (text: string): string =>
  `<p class="quiet" style="margin:0 0 12px;font-size:14px;line-height:20px;color:${COLOURS.quiet};overflow-wrap:anywhere">${escapeHtml(text)}</p>`;
