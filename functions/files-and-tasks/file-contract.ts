/** The response schemas of files and of their text, and the query parameters. Not part of any bundle. */
import * as v from 'valibot';
import { count, field, time } from '../../shared/core/answer-fields.ts';
import type { Parameter } from '../http/contract.ts';

export const id = v.pipe(v.string(), v.uuid());
const fileId = field(id, 'The id of the file, which tasks name in `input.fileIds`.');
export const nextCursor = field(
  v.nullable(v.string()),
  'Pass it as `cursor` to get the next page; null on the last page.',
);
export const fileRef = v.object({ fileId });
export const uploadOffer = v.object({
  uploadUrl: field(
    v.pipe(v.string(), v.url()),
    'A signed URL for one `PUT` of the bytes, without a key; valid for one hour.',
  ),
  fileId: field(id, 'The id of the file, which exists once the upload is completed.'),
  storagePath: field(v.string(), 'Identifies the upload; send it back unchanged in `POST /files/{fileId}/complete`.'),
});
export const fileInList = v.object({
  fileId,
  fileName: field(v.string(), 'The name with its extension, from the upload or from the server it was fetched from.'),
  mimeType: field(
    v.string(),
    'The media type as given at the upload, or sent by the server, such as `application/pdf`.',
  ),
  size: field(count, 'The length of the content in bytes.'),
  createdAt: field(time, 'When the content was stored, in UTC; the retention period starts here.'),
});
export type FileInList = v.InferOutput<typeof fileInList>;
export const file = v.object({
  ...fileInList.entries,
  url: field(
    v.pipe(v.string(), v.url()),
    'A signed URL to download the content from, without a key; valid for ten minutes.',
  ),
  urlExpiresAt: field(time, 'Until when `url` works, in UTC; read the file again for another URL.'),
});
export const filePage = v.object({
  files: field(v.array(fileInList), 'The files of the organization, the newest first; at most `limit`.'),
  nextCursor,
});

const text = (description: string) => field(v.string(), description);
const amount = (description: string) => field(count, description);

const box = field(
  v.object({
    x: field(v.number(), 'The left edge, from the left edge of the page.'),
    y: field(v.number(), 'The upper edge, from the top of the page.'),
    width: field(v.number(), 'The width of the box.'),
    height: field(v.number(), 'The height of the box.'),
  }),
  'Where it stands on the page, in points of 1/72 inch, or in pixels of an image file; absent if the reader does not know.',
);
const place = text('Where it stands, as answers cite it, such as `page 3`, `section Payment` or `Costs!B4:F40`.');
const rowCount = amount('The number of rows below the header, also if not all of them are shown.');
const headerRows = amount('How many rows make up the header; 0 if the table has none.');
const header = field(
  v.array(v.string()),
  'One name for each column; names of several header rows are joined by ` / `.',
);

const table = v.object({
  place,
  box: v.exactOptional(box),
  headerRows,
  header,
  rows: field(v.array(v.array(v.string())), 'The texts of the cells, row by row.'),
  rowCount,
});

const confidence = (of: string) => field(v.number(), `How sure text recognition was of ${of}, from 0 to 1.`);

const blockOcr = v.object({
  confidence: confidence('the letters of the block'),
  words: field(
    v.array(v.object({ text: text('The word as it was recognized.'), confidence: confidence('the word'), box })),
    'The words of the block, each with its place.',
  ),
});

const block = v.object({
  kind: text('`heading`, `paragraph`, `list` or `table`; readers may add kinds, such as `header` and `footer`.'),
  text: text('The text of the block as Markdown.'),
  box: v.exactOptional(box),
  hidden: v.exactOptional(
    field(v.literal(true), 'A person who opens the file does not see this text; it proves nothing.'),
  ),
  ocr: v.exactOptional(field(blockOcr, 'Present if text recognition read the block from a picture.')),
  order: amount('The position in reading order on the page, from 0.'),
});

const page = v.object({
  number: amount('The number of the page or slide, from 1; other documents have parts, which are numbered.'),
  place,
  text: text('The visible text of the page as Markdown.'),
  blocks: field(v.array(block), 'The blocks of the page in reading order, hidden ones included.'),
  ocr: v.exactOptional(
    field(
      v.object({ confidence: confidence('the letters of the page') }),
      'Present if text recognition read the page from a picture.',
    ),
  ),
});

const cell = v.object({
  text: text('The cell as the spreadsheet program shows it.'),
  value: field(
    v.nullable(v.union([v.string(), v.number(), v.boolean()])),
    'The stored value: ISO 8601 for dates, the fraction for percentages, null for an empty cell.',
  ),
  type: field(
    v.picklist(['text', 'number', 'date', 'percent', 'currency', 'boolean', 'empty']),
    'The type of the value, by its number format.',
  ),
  currency: v.exactOptional(text('The ISO 4217 code, if the number format names the currency.')),
});

const sheetTable = v.object({
  place,
  headerRows,
  header,
  units: v.exactOptional(field(v.array(v.string()), 'The row of units below the header, one text for each column.')),
  rows: field(v.array(v.array(cell)), 'The cells, row by row.'),
  rowCount,
  hiddenRows: field(v.array(count), 'Positions in `rows`, from 0, of rows that the program hides.'),
  hiddenColumns: field(v.array(count), 'Positions in `header`, from 0, of columns that the program hides.'),
});

const notes = (description: string) =>
  field(v.array(v.object({ place, text: text('The text at that cell.') })), description);

const sheet = v.object({
  name: text('The name of the sheet; empty for a CSV file.'),
  hidden: field(v.boolean(), 'True if the program hides the sheet.'),
  tables: field(v.array(sheetTable), 'The tables of the sheet, each whole.'),
  texts: notes('Titles, footnotes and other texts that stand alone in their row.'),
  comments: notes('The comments that people wrote on cells.'),
  drawings: notes('Text boxes, charts and alternative texts of pictures, as Markdown, at the cell of their corner.'),
  hiddenTexts: notes('Cells in which a person sees nothing, such as white text on white.'),
});

export const fileText = v.object({
  fileId: field(v.pipe(v.string(), v.uuid()), 'The file that was asked for, by its id.'),
  kind: text('The format that was found, such as `pdf`, `docx`, `xlsx`, `html`, `csv`, `text` or `image`.'),
  language: field(
    v.nullable(v.string()),
    'The BCP 47 tag of the main language, such as `en`; null if it is not clear.',
  ),
  readerVersion: text('The version of the readers; files are read again when it changes.'),
  title: v.exactOptional(text('The title of a web page, in the view `main`.')),
  author: v.exactOptional(text('The author that a web page names, in the view `main`.')),
  date: v.exactOptional(field(time, 'When a web page says that it was published, in the view `main`.')),
  canonicalUrl: v.exactOptional(text('The address that a web page gives for itself, in the view `main`.')),
  pages: field(v.array(page), 'The pages of the range; empty for workbooks and CSV files.'),
  tables: field(v.array(table), 'The tables of these pages, each at the page where it begins.'),
  sheets: field(v.array(sheet), 'The sheets of the range; empty for documents.'),
  notRead: field(
    v.array(v.object({ place, reason: text('Why the part was not read, for a person to read.') })),
    'What the reader could not read, or what is too long to be shown.',
  ),
});

export const fileReading = v.object({
  fileId: field(v.pipe(v.string(), v.uuid()), 'The file that was asked for, by its id.'),
  status: field(v.literal('reading'), 'Always `reading`: ask again after `Retry-After` seconds.'),
});

const range = (of: string): Parameter => ({
  description: `Only these ${of}: a number or a range, such as \`3\` or \`2-5\`. Default: all.`,
  schema: { type: 'string', pattern: '^\\d{1,6}(-\\d{1,6})?$' },
});

export const textQuery: Record<'format' | 'pages' | 'sheets' | 'view', Parameter> = {
  format: {
    description: 'Markdown with places, or JSON with blocks, tables and typed cells.',
    schema: { type: 'string', enum: ['markdown', 'json'], default: 'markdown' },
  },
  pages: range('pages'),
  sheets: range('sheets of a workbook or CSV file'),
  view: {
    description: 'The main content of a web page, or all of its text. Other files have one view.',
    schema: { type: 'string', enum: ['main', 'all'], default: 'main' },
  },
};
