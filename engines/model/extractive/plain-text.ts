/** A stretch of Markdown or plain text as one line of plain words, without marks and without what cannot be seen. */

/** Joiners stay: Persian and Hindi are written with them. */
const UNSEEN = /(?![\n\r\t])\p{Cc}|(?![\u200c\u200d])\p{Cf}/gu;
const ITEM_MARK = /^(?:[-*+•–·▪◦‣]|\[[ x]\])\s+/iu;

/** Keeps new lines and tabs. */
export const withoutUnseen = (text: string): string => text.replace(UNSEEN, '').toWellFormed();

export function plainText(text: string): string {
  return withoutUnseen(text)
    .replace(/\n\s*>/g, '\n')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(ITEM_MARK, '')
    .replace(/!?\[([^[\]]{1,300})\]\([^()\s]{1,500}\)/g, '$1')
    .replace(
      /\*\*([^*]{1,500})\*\*|__([^_]{1,500})__|`([^`]{1,500})`/g,
      (_, bold, under, code) => bold ?? under ?? code,
    );
}

/** The cells of a Markdown table's row. */
export const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => plainText(cell.replaceAll('\\|', '|')));
