/** Documents that take much memory to read: after they were read or refused, the product releases the memory. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { docxOf, paragraph, pngHead, xlsxOf, zipOf } from '../../engines/documents/file-builders.ts';
import type { Attacked } from './attack-target.ts';
import { askAbout, slowPdf, upload } from './documents.ts';
import { bearer } from './operations.ts';
import { type Part, until } from './part.ts';
import type { Tenant } from './tenants.ts';

const MEGABYTE = 1_000_000;
const ROUNDS = 6;
const PATIENCE_MS = 240_000;
/** Deadline for the release, and the most growth that may remain. */
const BACK_WITHIN_MS = 60_000;
const MAX_GROWTH_MB = 250;

const PARTS = [
  { name: '[Content_Types].xml', body: '<Types/>' },
  { name: 'word/document.xml', body: paragraph('x') },
];
const partOf = (at: number) => ({ name: `word/header${at}.xml`, body: paragraph('x') });

const HOSTILE: [name: string, bytes: () => Buffer][] = [
  ['operators.pdf', slowPdf],
  ['bomb.docx', () => docxOf(Buffer.alloc(260 * MEGABYTE, 'a'))],
  ['long.docx', () => docxOf(paragraph('word '.repeat(8 * MEGABYTE)))],
  ['rows.xlsx', () => xlsxOf(`<sheetData>${'<row><c t="str"><v>cell</v></c></row>'.repeat(600_000)}</sheetData>`)],
  ['nested.docx', () => docxOf('<w:p>'.repeat(400_000))],
  ['parts.docx', () => zipOf([...PARTS, ...Array.from({ length: 40_000 }, (_, at) => partOf(at))])],
  ['huge.png', () => pngHead(60_000, 60_000)],
  ['lines.txt', () => Buffer.alloc(40 * MEGABYTE, 'one line of text\n')],
];

function residentMb(on: Attacked, of: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const status = readFileSync(join('/proc', String(on.product().process.pid), 'status'), 'utf8');
  return Number(new RegExp(`${of}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024;
}

async function waitForEnd(on: Attacked, { apiKey }: Tenant, taskId: string): Promise<string> {
  const headers = bearer(apiKey);
  const stateOf = async () => {
    const { body } = await on.send('files', { path: `/api/v1/tasks/${taskId}`, headers });
    return body.completedAt === undefined ? undefined : String(body.status);
  };
  return until(stateOf, PATIENCE_MS);
}

export const memory: Part = {
  name: 'memory',
  promise: 'Memory used by hostile documents is freed within a minute',
  isAlone: true,
  async run({ on, size }) {
    const rounds = ROUNDS * size;
    const tenant = await on.tenants.found();
    const plain = await upload(
      on,
      tenant,
      'note.pdf',
      readFileSync('test/engines/documents/samples/invoice.reportlab.pdf'),
    );
    await waitForEnd(on, tenant, await askAbout(on, tenant, plain));
    const before = residentMb(on);
    const files = [];
    for (const [name, bytes] of HOSTILE) files.push(await upload(on, tenant, name, bytes()));
    const broken: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const tasks = await Promise.all(files.map((fileId) => askAbout(on, tenant, fileId)));
      await Promise.all(tasks.map((taskId) => waitForEnd(on, tenant, taskId)));
    }
    const from = performance.now();
    const isBack = async () => residentMb(on) - before <= MAX_GROWTH_MB && performance.now() - from;
    const backMs = await until(isBack, BACK_WITHIN_MS).catch(() => undefined);
    const after = residentMb(on);
    const figure = `${Math.round(before)} MB before, ${Math.round(residentMb(on, 'VmHWM'))} MB at most, ${Math.round(after)} MB after`;
    if (backMs === undefined) broken.push(`${figure}: more than ${MAX_GROWTH_MB} MB stayed in use for a minute`);
    if (!(await waitForEnd(on, tenant, await askAbout(on, tenant, plain))).startsWith('success'))
      broken.push('an ordinary document was not read afterwards');
    const figures = [figure, ...(backMs === undefined ? [] : [`back after ${(backMs / 1_000).toFixed(1)} s`])];
    return [{ what: 'hostile documents, then rest', tried: files.length * rounds, broken, figures }];
  },
};
