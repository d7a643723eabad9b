/** A workbook of plain text cells: the few parts that every spreadsheet program wants, and no formula ever. */
import { zipFiles } from '../../../archive/zip-files.ts';
import { toXmlText } from '../../../outputs/neutralize.ts';
import type { OutputRow } from './rows.ts';

export type OutputSheet = { name: string; rows: readonly OutputRow[] };

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** What Excel takes. */
const MOST = { rows: 1_048_576, cellCharacters: 32_767, nameCharacters: 31 };

export function xlsxOf(given: readonly OutputSheet[]): Uint8Array {
  const sheets = given.map(({ rows }, at) => ({ rows, file: `sheet${at + 1}.xml`, id: `rId${at + 1}` }));
  const names = distinctNames(given.map(({ name }) => name));
  const parts: [name: string, xml: string][] = [
    ['[Content_Types].xml', contentTypes(sheets.map(({ file }) => file))],
    ['_rels/.rels', relations([['rId1', 'officeDocument', 'xl/workbook.xml']])],
    ['xl/workbook.xml', workbook(sheets.map(({ id }, at) => [names[at] ?? '', id, at + 1]))],
    ['xl/_rels/workbook.xml.rels', relations(sheets.map(({ id, file }) => [id, 'worksheet', `worksheets/${file}`]))],
    ...sheets.map(({ file, rows }): [string, string] => [`xl/worksheets/${file}`, worksheet(rows)]),
  ];
  return zipFiles(parts.map(([name, xml]) => ({ name, bytes: Buffer.from(HEAD + xml, 'utf8') })));
}

const contentTypes = (files: string[]): string =>
  `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
  `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>` +
  `${files.map((file) => `<Override PartName="/xl/worksheets/${file}" ContentType="${TYPE}.worksheet+xml"/>`).join('')}</Types>`;

const relations = (all: [id: string, type: string, target: string][]): string =>
  `<Relationships xmlns="${PACKAGE}/relationships">${all
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

const workbook = (sheets: [name: string, id: string, number: number][]): string =>
  `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheets
    .map(([name, id, number]) => `<sheet name="${toXmlText(name)}" sheetId="${number}" r:id="${id}"/>`)
    .join('')}</sheets></workbook>`;

const worksheet = (rows: readonly OutputRow[]): string =>
  `<worksheet xmlns="${MAIN}"><sheetData>${rows
    .slice(0, MOST.rows)
    .map((cells) => `<row>${cells.map(cell).join('')}</row>`)
    .join('')}</sheetData></worksheet>`;

const cell = (text: string): string =>
  text === ''
    ? '<c/>'
    : `<c t="inlineStr"><is><t xml:space="preserve">${toXmlText(text.slice(0, MOST.cellCharacters))}</t></is></c>`;

/** Excel refuses some signs in the name of a sheet, and two of one name whatever their case. */
function distinctNames(names: string[]): string[] {
  const taken = new Set<string>();
  return names.map((given) => {
    const name =
      given
        .replaceAll(/[\\/?*[\]:']/g, ' ')
        .trim()
        .slice(0, MOST.nameCharacters) || 'Sheet';
    let free = name;
    for (let again = 2; taken.has(free.toLowerCase()); again++) {
      const end = ` ${again}`;
      free = `${name.slice(0, MOST.nameCharacters - end.length)}${end}`;
    }
    taken.add(free.toLowerCase());
    return free;
  });
}
