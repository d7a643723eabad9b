/** Writes the document of a pair in its form: text, Markdown, HTML, CSV, and small DOCX, XLSX and PDF files byte by byte. */

import { zipOf } from '../../engines/documents/file-builders.ts';
import { type Fact, labelText, type Pair } from './pairs.ts';

export type Written = { name: string; bytes: Buffer };

const PROSE = 'This sheet was drawn up by the harbour office for the parties named in it.';
const HEAD = ['Article', 'Quantity', 'Price'];

/** The pieces of a document in order: pairs of label and value, sentences, and a table with its head. */
type Pieces = { labelled: [string, string][]; sentences: string[]; table: string[][] };

function piecesOf({ form, facts, others, sentences, rows, hasTable }: Pair): Pieces {
  const labelled = [...facts, ...others].filter(({ isSentence }) => !isSentence);
  const shown = ({ value, written }: Fact) =>
    form === 'xlsx' ? String(typeof value === 'boolean' ? written : value) : written;
  const cells = rows.map(({ article, quantity, price }) => [article, String(quantity), price.toFixed(2)]);
  return {
    labelled: labelled.map((fact) => [labelText(fact), shown(fact)]),
    sentences: [...sentences, ...(hasTable ? [] : rows.map(({ line }) => line))],
    table: hasTable && cells.length > 0 ? [HEAD, ...cells] : [],
  };
}

const escapeHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const pipes = (rows: readonly string[][]): string[] => rows.map((cells) => `| ${cells.join(' | ')} |`);
const markdown = ([head, ...rows]: string[][]): string[] =>
  head ? [...pipes([head]), `|${head.map(() => ' --- ').join('|')}|`, ...pipes(rows)] : [];
const columns = (rows: readonly string[][]): string[] =>
  rows.map((cells) => cells.map((cell, at) => (at < cells.length - 1 ? cell.padEnd(26) : cell)).join(''));

function textOf({ form }: Pair, { labelled, sentences, table }: Pieces): string {
  const blocks: Record<string, () => string[][]> = {
    colons: () => [labelled.map(([label, value]) => `${label}: ${value}`), sentences, markdown(table)],
    gaps: () => [columns(labelled), sentences, markdown(table)],
    list: () => [
      labelled.map(([label, value]) => `- **${label}:** ${value}`),
      sentences.map((one) => `${one}\n`),
      markdown(table),
    ],
    markdown: () => [markdown([['Item', 'Entry'], ...labelled]), sentences.map((one) => `${one}\n`), markdown(table)],
  };
  const [first = [], ...more] = blocks[form]?.() ?? [];
  return [['# Harbour sheet'], [PROSE], first, ...more].map((lines) => lines.join('\n')).join('\n\n');
}

function htmlOf({ labelled, sentences, table }: Pieces): string {
  const rows = (cells: readonly string[][]) =>
    `<table>${cells.map((row) => `<tr>${row.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`).join('')}</table>`;
  const [head = [], ...body] = table;
  const items = `<table><thead><tr>${head.map((cell) => `<th>${cell}</th>`).join('')}</tr></thead>${rows(body).slice(7)}`;
  return `<!doctype html><html lang="en"><title>Harbour sheet</title><body><h1>Harbour sheet</h1><p>${PROSE}</p>${rows(labelled)}${sentences
    .map((one) => `<p>${escapeHtml(one)}</p>`)
    .join('')}${table.length > 0 ? items : ''}</body></html>`;
}

const csvOf = ({ labelled }: Pieces): string =>
  [['Item', 'Entry'], ...labelled].map((cells) => cells.map((cell) => `"${cell}"`).join(',')).join('\r\n');

const OFFICE = 'http://schemas.openxmlformats.org';
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const typesOf = (parts: readonly [string, string][]): string =>
  `${XML}<Types xmlns="${OFFICE}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${parts
    .map(
      ([name, type]) =>
        `<Override PartName="${name}" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`,
    )
    .join('')}</Types>`;
const relationTo = (type: string, target: string): string =>
  `${XML}<Relationships xmlns="${OFFICE}/package/2006/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument/2006/relationships/${type}" Target="${target}"/></Relationships>`;

function docxOf({ labelled, sentences, table }: Pieces): Buffer {
  const paragraph = (text: string) => `<w:p><w:r><w:t xml:space="preserve">${escapeHtml(text)}</w:t></w:r></w:p>`;
  const rows = table.map((cells) => `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`);
  const body = [PROSE, ...labelled.map(([label, value]) => `${label}: ${value}`), ...sentences].map(paragraph).join('');
  return zipOfFiles({
    '[Content_Types].xml': typesOf([['/word/document.xml', 'wordprocessingml.document.main']]),
    '_rels/.rels': relationTo('officeDocument', 'word/document.xml'),
    'word/document.xml': `${XML}<w:document xmlns:w="${OFFICE}/wordprocessingml/2006/main"><w:body>${body}${rows.length > 0 ? `<w:tbl>${rows.join('')}</w:tbl>` : ''}</w:body></w:document>`,
  });
}

function xlsxOf({ labelled, table }: Pieces): Buffer {
  const cell = (text: string, row: number, column: number) => {
    const at = `${'ABC'[column]}${row + 1}`;
    return /^\d+(\.\d+)?$/.test(text)
      ? `<c r="${at}"><v>${text}</v></c>`
      : `<c r="${at}" t="inlineStr"><is><t>${escapeHtml(text)}</t></is></c>`;
  };
  const sheet = (rows: readonly string[][]) =>
    `${XML}<worksheet xmlns="${OFFICE}/spreadsheetml/2006/main"><sheetData>${rows
      .map((cells, row) => `<row r="${row + 1}">${cells.map((text, column) => cell(text, row, column)).join('')}</row>`)
      .join('')}</sheetData></worksheet>`;
  const sheets = [sheet([['Item', 'Entry'], ...labelled]), ...(table.length > 0 ? [sheet(table)] : [])];
  const relations = sheets
    .map(
      (_, at) =>
        `<Relationship Id="rId${at + 1}" Type="${OFFICE}/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`,
    )
    .join('');
  return zipOfFiles({
    '[Content_Types].xml': typesOf([
      ['/xl/workbook.xml', 'spreadsheetml.sheet.main'],
      ...sheets.map((_, at): [string, string] => [`/xl/worksheets/sheet${at + 1}.xml`, 'spreadsheetml.worksheet']),
    ]),
    '_rels/.rels': relationTo('officeDocument', 'xl/workbook.xml'),
    'xl/workbook.xml': `${XML}<workbook xmlns="${OFFICE}/spreadsheetml/2006/main" xmlns:r="${OFFICE}/officeDocument/2006/relationships"><sheets>${sheets.map((_, at) => `<sheet name="Sheet ${at + 1}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${OFFICE}/package/2006/relationships">${relations}</Relationships>`,
    ...Object.fromEntries(sheets.map((text, at) => [`xl/worksheets/sheet${at + 1}.xml`, text])),
  });
}

/** Two pages, the labelled values on the first, each piece at its place: columns are set apart as print does. */
function pdfOf({ labelled, sentences, table }: Pieces): Buffer {
  const pages: [string, number][][][] = [
    [
      [[PROSE, 50]],
      ...labelled.map(([label, value]): [string, number][] => [
        [`${label}:`, 50],
        [value, 220],
      ]),
    ],
    [
      ...sentences.map((one): [string, number][] => [[one, 50]]),
      ...table.map((cells) => cells.map((cell, column): [string, number] => [cell, 50 + column * 140])),
    ],
  ];
  const drawn = pages.map((lines) =>
    lines
      .flatMap((line, at) =>
        line.map(([text, x]) => `BT /F1 10 Tf ${x} ${780 - at * 22} Td (${text.replace(/[()\\]/g, '\\$&')}) Tj ET`),
      )
      .join('\n')
      .replaceAll('€', '\\200'),
  );
  const kids = drawn.map((_, at) => `${4 + 2 * at} 0 R`);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${kids.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...drawn.flatMap((content, at) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${5 + 2 * at} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
  ];
  let file = '%PDF-1.4\n';
  const places = objects.map((object, at) => {
    const from = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(from).padStart(10, '0')} 00000 n \n`;
  });
  const table0 = file.length;
  const size = objects.length + 1;
  file += `xref\n0 ${size}\n0000000000 65535 f \n${places.join('')}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${table0}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

const ENDINGS = {
  colons: 'txt',
  gaps: 'txt',
  list: 'md',
  markdown: 'md',
  html: 'html',
  csv: 'csv',
  docx: 'docx',
  xlsx: 'xlsx',
  pdf: 'pdf',
};

export function documentOf(pair: Pair): Written {
  const pieces = piecesOf(pair);
  const { form } = pair;
  const binary = { docx: docxOf, xlsx: xlsxOf, pdf: pdfOf }[form as 'docx'];
  const text = () => (form === 'html' ? htmlOf(pieces) : form === 'csv' ? csvOf(pieces) : textOf(pair, pieces));
  return { name: `pair-${pair.seed}.${ENDINGS[form]}`, bytes: binary ? binary(pieces) : Buffer.from(text()) };
}

const zipOfFiles = (files: Readonly<Record<string, string>>): Buffer =>
  zipOf(Object.entries(files).map(([name, body]) => ({ name, body })));
