/** How a workbook shows its numbers: by the format of each cell's style. */
import { SSF } from '@e965/xlsx';
import { attribute, childOf, elementsOf, type XmlElement } from '../markup/parse-xml.ts';

/** A number in a style, as its reader sees it. */
export type NumberFormatter = (value: number, style: number) => string;

export function numberFormatsOf(styles: XmlElement | undefined, date1904: boolean): NumberFormatter {
  const sheet = childOf(styles, 'styleSheet');
  const own = new Map(
    children(childOf(sheet, 'numFmts')).map((format) => [
      Number(attribute(format, 'numFmtId')),
      attribute(format, 'formatCode') ?? 'General',
    ]),
  );
  const formats = children(childOf(sheet, 'cellXfs')).map((style) => Number(attribute(style, 'numFmtId') ?? 0));
  return (value, style) => {
    const id = formats[style] ?? 0;
    return formatNumber(value, own.get(id) ?? id, date1904);
  };
}

/** A format that nobody understands, or a date before all dates, leaves the bare number. */
function formatNumber(value: number, format: string | number, date1904: boolean): string {
  try {
    const text = SSF.format(format, value, { date1904 });
    return text === '' || text.includes('#####') ? String(value) : text;
  } catch {
    return String(value);
  }
}

const children = (element: XmlElement | undefined): XmlElement[] => (element ? elementsOf(element) : []);
