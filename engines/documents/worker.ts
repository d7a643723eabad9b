/** The program of a reading thread: it answers each request with what it read, or with the reason why it could not. */
import { createRequire, enableCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import {
  isDocumentFailure,
  type OcrProgress,
  type ReaderSettings,
  type ReadReply,
  type ReadRequest,
  type RuleCall,
  type StatementStart,
  type TableQuery,
} from './document.ts';
import { limitWebAssembly, webAssemblyMemory } from './limit-webassembly.ts';
import { withUnsure } from './ocr/ocr-words.ts';
import { readDocument, readEntries, readPictures, readWholeDocument } from './read-document.ts';
import { toQueryTables } from './sheets/query-tables.ts';
import type { NamedTable, QueryReply } from './sheets/run-query.ts';
import { toStoredForm } from './stored-document.ts';

const settings = workerData as ReaderSettings;

const US_IN_MS = 1_000;
const BYTES_IN_MB = 1_048_576;
/** WebAssembly gets half of the memory, as the image itself needs some of the rest. */
const wasRefusedMemory = limitWebAssembly(webAssemblyMemory(), (settings.limits.memoryMb / 2) * BYTES_IN_MB);

// Documents may contain URLs, so nothing that reads them gets network access.
for (const way of ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest']) Reflect.deleteProperty(globalThis, way);

function reportOcr(ocr: OcrProgress['ocr']): void {
  const { user, system } = process.threadCpuUsage();
  parentPort?.postMessage({ ocr, cpuMs: (user + system) / US_IN_MS } satisfies OcrProgress);
}

async function answerQuery({ files, sql }: TableQuery): Promise<QueryReply> {
  const tables: NamedTable[] = [];
  for (const [at, file] of files.entries()) {
    const document = 'bytes' in file ? await readDocument(file, settings) : file;
    tables.push(...toQueryTables(document).map((table) => ({ ...table, file: at + 1, name: file.name })));
  }
  const { runQuery } = await import('./sheets/run-query.ts');
  return runQuery(tables, sql, settings.assets.sqlite, () =>
    parentPort?.postMessage({ statement: 'begins' } satisfies StatementStart),
  );
}

type RulesProgram = { TEXT_RULES: Record<string, (input: unknown) => unknown> };

/** Returns what the rule does, or a promise of it. The program is loaded with the first rule. A bundle is CommonJS and the checkout is not: `require` loads both. */
function applyRule({ name, input }: RuleCall): unknown {
  const { rulesFile, compileCache } = settings;
  if (compileCache) enableCompileCache(compileCache);
  const program = rulesFile ? (createRequire(rulesFile)(rulesFile) as RulesProgram) : undefined;
  const rule = program?.TEXT_RULES[name];
  if (!rule) throw new Error(`There is no rule ${name}.`);
  return rule(input);
}

async function answerRequest(request: ReadRequest): Promise<ReadReply> {
  try {
    const { shape, query, tests, rule, toStore, pictures } = request;
    if (query) return { ok: true, result: await answerQuery(query) };
    if (tests) return { ok: true, result: tests.map(({ pattern, text }) => new RegExp(pattern, 'u').test(text)) };
    if (rule) return { ok: true, result: await applyRule(rule) };
    if (shape) return { ok: true, result: await readEntries({ ...request, shape }, settings) };
    if (pictures) return { ok: true, result: await readPictures({ ...request, pictures }, settings) };
    const watched = { ...settings, watchOcr: reportOcr };
    if (toStore) return { ok: true, result: toStoredForm(await readWholeDocument(request, watched)) };
    const { sheets, tables: _, ...document } = await readDocument(request, watched);
    // Millions of typed cells are sent only to those who use them. Blocks and tables are only stored.
    const parts = document.parts.map(withUnsure);
    const result = { ...document, parts };
    return { ok: true, result: sheets && request.sheets ? { ...result, sheets } : result };
  } catch (error) {
    return failureOf(error);
  }
}

function failureOf(error: unknown): ReadReply {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (isDocumentFailure(error) && !wasRefusedMemory()) return { ok: false, reason: error.reason, detail };
  // Nesting too deep, or a string or list too long: these are limits of the machine.
  const isLimit = error instanceof RangeError || wasRefusedMemory();
  return { ok: false, reason: isLimit ? 'tooLarge' : 'corrupt', detail };
}

parentPort?.on('message', async (request: ReadRequest) => parentPort?.postMessage(await answerRequest(request)));
