/** Writes tables as XLSX and CSV with typed cells, and files as a ZIP. No cell is ever a formula. */

import { zipSync } from 'fflate';
import { toCsvCell } from './escape-csv.ts';
import { toXmlText } from './escape-html.ts';
import { type OutputCell, plainValue, shownValue, storedNumber, type TypedCell } from './output-cells.ts';

type CellRow = readonly OutputCell[];
/** The first row is the header: it stays visible, and its cells filter the table. */
export type OutputSheet = { name: string; rows: readonly CellRow[] };

/** Tells Excel that the file is UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Writes RFC 4180. Cells are escaped so that no spreadsheet runs them as formulas. */
export const writeCsv = (rows: readonly CellRow[]): string =>
  BYTE_ORDER_MARK +
  rows.map((row) => `${row.map((outputCell) => toCsvCell(plainValue(outputCell))).join(',')}\r\n`).join('');

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Excel's limits. */
const MOST = {
  rows: 1_048_576,
  cellCharacters: 32_767,
  nameCharacters: 31,
  links: 65_530,
  linkCharacters: 2_079,
};

/** Writes only the parts that every spreadsheet program requires. */
export function writeXlsx(outputs: readonly OutputSheet[]): Uint8Array {
  const styles = cellStyles();
  const names = distinctNames(outputs.map(({ name }) => name));
  const sheets = outputs.map(({ rows }, at) => {
    const links = linksIn(rows, (sheet) => names[outputs.findIndex(({ name }) => name === sheet)] ?? sheet);
    return { xml: worksheet(rows, links, styles), links, file: `sheet${at + 1}.xml`, id: `rId${at + 1}` };
  });
  const stylesId = `rId${sheets.length + 1}`;
  const parts: [name: string, xml: string][] = [
    ['[Content_Types].xml', contentTypes(sheets.map(({ file }) => file))],
    ['_rels/.rels', relations([['rId1', 'officeDocument', 'xl/workbook.xml']])],
    ['xl/workbook.xml', workbook(sheets.map(({ id }, at) => [names[at] ?? '', id, at + 1]))],
    [
      'xl/_rels/workbook.xml.rels',
      relations([
        ...sheets.map(({ id, file }): WorkbookRelation => [id, 'worksheet', `worksheets/${file}`]),
        [stylesId, 'styles', 'styles.xml'],
      ]),
    ],
    ['xl/styles.xml', styles.xml()],
    ...sheets.map(({ file, xml }): [string, string] => [`xl/worksheets/${file}`, xml]),
    ...sheets.flatMap(({ file, links }): [string, string][] => {
      const outward = links.flatMap(({ id, url }): WorkbookRelation[] =>
        url === undefined ? [] : [[id, 'hyperlink', toXmlText(url), 'External']],
      );
      return outward.length === 0 ? [] : [[`xl/worksheets/_rels/${file}.rels`, relations(outward)]];
    }),
  ];
  return zipFiles(parts.map(([name, xml]) => ({ name, bytes: Buffer.from(HEAD + xml, 'utf8') })));
}

const override = (part: string, type: string): string =>
  `<Override PartName="/xl/${part}" ContentType="${TYPE}.${type}+xml"/>`;

const contentTypes = (files: string[]): string =>
  `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
  `${override('workbook.xml', 'sheet.main')}${override('styles.xml', 'styles')}` +
  `${files.map((file) => override(`worksheets/${file}`, 'worksheet')).join('')}</Types>`;

type WorkbookRelation = [id: string, type: string, target: string, mode?: 'External'];

const relations = (entries: WorkbookRelation[]): string =>
  `<Relationships xmlns="${PACKAGE}/relationships">${entries
    .map(
      ([id, type, target, mode]) =>
        `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"${mode ? ` TargetMode="${mode}"` : ''}/>`,
    )
    .join('')}</Relationships>`;

const workbook = (sheets: [name: string, id: string, number: number][]): string =>
  `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheets
    .map(([name, id, number]) => `<sheet name="${toXmlText(name)}" sheetId="${number}" r:id="${id}"/>`)
    .join('')}</sheets></workbook>`;

/** Styles before those of number formats: the default, the header, and links. */
const FIXED_STYLES = 3;

/** Each number format that is used gets a further style. */
function cellStyles() {
  const formats: string[] = [];
  return {
    of(format: string): number {
      const index = formats.indexOf(format);
      return (index < 0 ? formats.push(format) - 1 : index) + FIXED_STYLES;
    },
    xml: (): string => {
      const style = (format: number, font: number) =>
        `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" applyNumberFormat="1" applyFont="1"/>`;
      const codes = formats
        .map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${toXmlText(code)}"/>`)
        .join('');
      return (
        `<styleSheet xmlns="${MAIN}">${codes && `<numFmts count="${formats.length}">${codes}</numFmts>`}` +
        '<fonts count="3"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font>' +
        '<font><u/><sz val="11"/><color rgb="FF0563C1"/><name val="Calibri"/></font></fonts>' +
        '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
        '<borders count="1"><border/></borders>' +
        // Readers such as openpyxl warn without a default style.
        '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
        `<cellXfs count="${formats.length + FIXED_STYLES}">${style(0, 0)}${style(0, 1)}${style(0, 2)}${formats.map((_, at) => style(164 + at, 0)).join('')}</cellXfs>` +
        '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
      );
    },
  };
}

type CellStyles = ReturnType<typeof cellStyles>;

const MAX_WIDTH = 60;
/** The widths of columns are measured on this many rows. */
const MEASURED_ROWS = 200;

function worksheet(allRows: readonly CellRow[], links: readonly Hyperlink[], styles: CellStyles): string {
  const rows = allRows.slice(0, MOST.rows);
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
  const sample = rows.slice(0, MEASURED_ROWS);
  const columns = Array.from({ length: width }, (_, at) => {
    const longest = sample.reduce((max, row) => Math.max(max, shownValue(row[at] ?? '').length), 6);
    return `<col min="${at + 1}" max="${at + 1}" width="${Math.min(MAX_WIDTH, longest + 2)}" customWidth="1"/>`;
  });
  const isTable = rows.length > 1;
  const frozen = isTable
    ? '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'
    : '';
  const filter = isTable ? `<autoFilter ref="A1:${columnLetters(width)}${rows.length}"/>` : '';
  const hyperlinks = links.map(
    ({ id, ref, place }) => `<hyperlink ref="${ref}" ${place ? `location="${toXmlText(place)}"` : `r:id="${id}"`}/>`,
  );
  return (
    `<worksheet xmlns="${MAIN}" xmlns:r="${OFFICE}">${frozen}${width > 0 ? `<cols>${columns.join('')}</cols>` : ''}<sheetData>` +
    `${rows.map((cells, at) => `<row>${cells.map((outputCell) => cell(outputCell, at === 0 && isTable, styles)).join('')}</row>`).join('')}` +
    `</sheetData>${width > 0 ? filter : ''}${hyperlinks.length > 0 ? `<hyperlinks>${hyperlinks.join('')}</hyperlinks>` : ''}</worksheet>`
  );
}

const isLink = (typedCell: TypedCell): boolean =>
  typedCell.type === 'reference' ||
  (typedCell.type === 'link' &&
    typedCell.value.startsWith('https://') &&
    typedCell.value.length <= MOST.linkCharacters);

/** A link to a URL or to a cell of the workbook. */
type Hyperlink = { id: string; ref: string; url?: string; place?: string };

function linksIn(rows: readonly CellRow[], nameOf: (sheet: string) => string): Hyperlink[] {
  const links = rows.slice(0, MOST.rows).flatMap((row, at) =>
    row.flatMap((outputCell, column): Omit<Hyperlink, 'id'>[] => {
      if (typeof outputCell === 'string' || !isLink(outputCell)) return [];
      const ref = `${columnLetters(column + 1)}${at + 1}`;
      if (outputCell.type !== 'reference') return [{ ref, url: String(outputCell.value) }];
      return [{ ref, place: `'${nameOf(outputCell.sheet)}'!A${outputCell.row}` }];
    }),
  );
  return links.slice(0, MOST.links).map((link, at) => ({ id: `rId${at + 1}`, ...link }));
}

function columnLetters(width: number): string {
  let letters = '';
  for (let remaining = width; remaining > 0; remaining = Math.floor((remaining - 1) / 26))
    letters = String.fromCharCode(65 + ((remaining - 1) % 26)) + letters;
  return letters;
}

function cell(outputCell: OutputCell, isHeader: boolean, styles: CellStyles): string {
  if (typeof outputCell === 'string') return textCell(outputCell, isHeader ? HEADER_STYLE : undefined);
  if (outputCell.type === 'link' || outputCell.type === 'reference')
    return textCell(outputCell.value, isLink(outputCell) ? LINK_STYLE : undefined);
  if (outputCell.type === 'boolean') return `<c t="b"><v>${outputCell.value ? 1 : 0}</v></c>`;
  const stored = storedNumber(outputCell);
  return stored === undefined
    ? textCell(shownValue(outputCell))
    : `<c s="${styles.of(stored.format)}"><v>${stored.number}</v></c>`;
}

const HEADER_STYLE = 1;
const LINK_STYLE = 2;

const textCell = (text: string, style?: number): string =>
  text === ''
    ? '<c/>'
    : `<c${style === undefined ? '' : ` s="${style}"`} t="inlineStr"><is><t xml:space="preserve">${toXmlText(text.slice(0, MOST.cellCharacters))}</t></is></c>`;

/** Excel rejects some characters in sheet names, and names that differ only in case. */
function distinctNames(names: string[]): string[] {
  const usedNames = new Set<string>();
  return names.map((sheetName) => {
    const name =
      sheetName
        .replaceAll(/[\\/?*[\]:']/g, ' ')
        .trim()
        .slice(0, MOST.nameCharacters) || 'Sheet';
    let free = name;
    for (let again = 2; usedNames.has(free.toLowerCase()); again++) {
      const end = ` ${again}`;
      free = `${name.slice(0, MOST.nameCharacters - end.length)}${end}`;
    }
    usedNames.add(free.toLowerCase());
    return free;
  });
}

/** ZIP stores local times without a zone. The earliest possible time reveals nothing about the machine. */
const EARLIEST = new Date(1980, 0, 1);

export function zipFiles(files: readonly { name: string; bytes: Uint8Array }[]): Uint8Array {
  return zipSync(Object.fromEntries(files.map(({ name, bytes }) => [name, bytes])), { mtime: EARLIEST, level: 6 });
}
