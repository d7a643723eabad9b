/** Reading documents in killable threads, against the same readers called in the process itself. */
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { readerFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { DOCUMENT_LIMITS } from '../../../engines/documents/document.ts';
import { type Documents, openDocuments } from '../../../engines/documents/documents.ts';
import { readDocument } from '../../../engines/documents/read-document.ts';
import { sample, samples } from '../../engines/documents/samples.ts';
import { type Bench, type Comparison, inTurns, millisecondsOf, sideBySide } from './side-by-side.ts';

/** How often each file is read in one turn, and the amount and unit that are counted. */
const READ: readonly [file: string, times: number, amount: number, unit: string][] = [
  ['service-manual.reportlab.pdf', 3, 12, 'pages/s'],
  ['annual-report.chromium.pdf', 3, 9, 'pages/s'],
  ['service-manual.pandoc.docx', 8, 1, 'files/s'],
  ['supply-agreement.libreoffice.doc', 20, 1, 'files/s'],
  ['supply-agreement.libreoffice.rtf', 20, 1, 'files/s'],
  ['lab-protocol.libreoffice.odt', 20, 1, 'files/s'],
  ['stock-list.openpyxl.xlsx', 10, 260, 'rows/s'],
  ['stock-list.libreoffice.xls', 10, 260, 'rows/s'],
  ['stock-list.libreoffice.ods', 10, 260, 'rows/s'],
  ['stock-list.libreoffice.csv', 50, 260, 'rows/s'],
  ['training-slides.python-pptx.pptx', 20, 5, 'slides/s'],
  ['training-slides.libreoffice.ppt', 10, 5, 'slides/s'],
  ['research-summary.pandoc.html', 50, 1, 'files/s'],
  ['meter-reading.pillow.jpg', 2, 1, 'pictures/s'],
];
const BENCH = { organization: 'bench' };
const MAX_RESIDENT_MB = 300;
/** For such small documents the transfer to the thread costs more than reading. */
const AT_LEAST = 0.2;

async function speed(documents: Documents, [file, times, amount, unit]: (typeof READ)[number]): Promise<Comparison> {
  const source = { bytes: sample(file).bytes(), name: file };
  const { assets } = readerFilesFromCheckout();
  const again = (way: () => Promise<unknown>) => async () => {
    for (let n = 0; n < times; n++) await way();
  };
  return sideBySide({
    what: file,
    unit,
    amount: times * amount,
    atLeast: AT_LEAST,
    ours: again(() => documents.read(source, BENCH)),
    reference: again(() => readDocument(source, { limits: DOCUMENT_LIMITS, assets })),
  });
}

const csv = { bytes: Buffer.from('a,b\n1,2\n'), name: 'a.csv' };

/** From opening the reader to the first table, against starting a thread that only answers. */
async function coldStart(): Promise<Comparison> {
  const times = await inTurns((way) => millisecondsOf(way), {
    async ours() {
      const documents = openDocuments(readerFilesFromCheckout());
      await documents.read(csv, BENCH);
      await documents.close();
    },
    async reference() {
      const worker = new Worker(`require('node:worker_threads').parentPort.postMessage(1)`, { eval: true });
      await new Promise((resolve) => worker.once('message', resolve));
      await worker.terminate();
    },
  });
  return { what: 'first CSV, thread included, over a bare thread', unit: 'ms', ...times, wanted: { atMost: 6 } };
}

/** Ten sequential reads, against one start and one read. */
async function tenInARow(documents: Documents): Promise<Comparison> {
  const times = await inTurns((way) => millisecondsOf(way), {
    async ours() {
      for (let n = 0; n < 10; n++) await documents.read(csv, BENCH);
    },
    async reference() {
      const fresh = openDocuments(readerFilesFromCheckout());
      await fresh.read(csv, BENCH);
      await fresh.close();
    },
  });
  return { what: 'ten CSV in a row, over the first', unit: 'ms', ...times, wanted: { atMost: 1 } };
}

/** Peak memory of this whole process while one thread reads all samples for the first time. */
async function resident(documents: Documents): Promise<Comparison> {
  for (const { file, bytes } of samples) await documents.read({ bytes: bytes(), name: file }, BENCH);
  const ours = residentMb();
  const ratio = ours / MAX_RESIDENT_MB;
  const what = `peak resident memory, all samples, over ${MAX_RESIDENT_MB} MB`;
  return { what, unit: 'MB', ours, reference: MAX_RESIDENT_MB, ratio, wanted: { atMost: 1 } };
}

const residentMb = (): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1_024;

export const bench: Bench = {
  title: 'Documents',
  about:
    'The samples of `test/engines/documents`, each read in a warm thread; the references call the same readers in the process itself, where they could not be stopped.',
  async run() {
    const documents = openDocuments({ ...readerFilesFromCheckout(), threads: 1 });
    const memory = await resident(documents);
    const found = [await coldStart(), await tenInARow(documents)];
    for (const one of READ) found.push(await speed(documents, one));
    await documents.close();
    return [...found, memory];
  },
};
