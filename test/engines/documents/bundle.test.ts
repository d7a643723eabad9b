import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleDocumentsWorker, bundleTextRules } from '../../../scripts/bundle/documents-worker.ts';
import { bundleFonts } from '../../../scripts/bundle/fonts.ts';
import { lambdaOptions } from '../../../scripts/bundle/options.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { sample, samples } from './samples.ts';
import { recallOf } from './words.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

/** A handler as one will be: it opens the documents with what lies beside it. */
const HANDLER = `
  import { openDocuments } from './engines/documents/documents.ts';
  import { bundledReaderFiles } from './engines/documents/reader-files.ts';
  import { reportRenderer } from './agents/write-files.ts';
  import { bundledFontFiles } from './engines/fonts/font.ts';
  export const documents = openDocuments(bundledReaderFiles(__dirname));
  export const render = reportRenderer(documents, bundledFontFiles(__dirname));
`;

const CALLER = `
  const { readFileSync } = require('node:fs');
  const { documents } = require('./index.js');
  (async () => {
    const found = {};
    for (const [name, file] of JSON.parse(process.argv[1])) {
      const { kind, parts } = await documents.read({ bytes: readFileSync(file), name }, { organization: 'tests' });
      found[name] = { kind, text: parts.map(({ label, text }) => label + '\\n' + text).join('\\n') };
    }
    await documents.close();
    console.log(JSON.stringify(found));
  })();
`;

beforeAll(async () => {
  await bundleDocumentsWorker(folder.path);
  await bundleTextRules(folder.path);
  bundleFonts(folder.path);
  await build({
    ...lambdaOptions,
    stdin: { contents: HANDLER, resolveDir: join(import.meta.dirname, '../../..'), loader: 'ts' },
    outfile: join(folder.path, 'index.js'),
  });
}, 60_000);

const oneOfEach = [...new Map(samples.map((one) => [one.type, one])).values()];

it('reads one file of each type in a folder that holds nothing but the bundles and their data', {
  timeout: 60_000,
}, () => {
  const files = oneOfEach.map(({ file, bytes }) => {
    const path = join(folder.path, `sample-${file}`);
    writeFileSync(path, bytes());
    return [file, path];
  });
  const printed = execFileSync(process.execPath, ['-e', CALLER, JSON.stringify(files)], {
    cwd: folder.path,
    env: {},
    encoding: 'utf8',
    maxBuffer: 10_000_000,
  });
  const found = JSON.parse(printed) as Record<string, { kind: string; text: string }>;
  for (const { file } of oneOfEach) {
    const { share, missing } = recallOf(sample(file).words(), found[file]?.text ?? '');
    expect(share, `${file} lacks ${missing.slice(0, 9).join(' ')}`).toBeGreaterThan(0.9);
  }
});

const RULE_CALLER = `
  const { documents } = require('./index.js');
  const input = { parts: [{ label: 'page 1', text: 'Invoice No. 7\\nTotal: 5.00 EUR' }], rules: ['total'], most: { values: 9, characters: 9999 } };
  documents.applyRule({ name: 'namedValues', input }, { organization: 'tests' }).then(async (found) => {
    await documents.close();
    console.log(JSON.stringify(found));
  });
`;

const REPORT_CALLER = `
  const { documents, render } = require('./index.js');
  const report = { title: 'Fees', madeAt: '2026-11-28T00:00:00Z', notes: [], sections: [], sources: [] };
  render(report, 'pdf', { organization: 'tests' }).then(async ({ bytes }) => {
    await documents.close();
    console.log(Buffer.from(bytes).subarray(0, 5).toString());
  });
`;

it('renders a report as PDF in such a folder', () => {
  const options = { cwd: folder.path, env: {}, encoding: 'utf8' } as const;
  expect(execFileSync(process.execPath, ['-e', REPORT_CALLER], options)).toBe('%PDF-\n');
});

it('applies the rules of a text in such a folder', () => {
  const printed = execFileSync(process.execPath, ['-e', RULE_CALLER], { cwd: folder.path, env: {}, encoding: 'utf8' });
  expect(JSON.parse(printed)).toMatchObject({
    values: [{ rule: 'total', value: 'EUR 5.00', place: 'page 1' }],
    left: 0,
  });
  // The library that asks models is no part of a rule.
  expect(readFileSync(join(folder.path, 'text-rules.js'), 'utf8').length).toBeLessThan(420_000);
});

it('keeps every parser out of the handler, and style sheets and paths of this machine out of both', () => {
  const handler = readFileSync(join(folder.path, 'index.js'), 'utf8');
  const worker = readFileSync(join(folder.path, 'documents-worker.js'), 'utf8');
  expect(handler.length).toBeLessThan(20_000);
  for (const text of [handler, worker]) expect(text).not.toContain(process.cwd());
  // linkedom includes a CSS parser of 200 kB.
  expect(worker).not.toContain('CSSStyleRule');
});

/** The thread that reads a DOCX or a feed does not compile the libraries for web pages. */
it('loads the libraries that find an article only for pages', async () => {
  const { metafile } = await build({
    ...lambdaOptions,
    define: { 'import.meta.url': '"file:///"' },
    entryPoints: [join('engines', 'documents', 'worker.ts')],
    absWorkingDir: join(import.meta.dirname, '../../..'),
    write: false,
    metafile: true,
  });
  const { inputs } = metafile;
  const atStart = new Set(['engines/documents/worker.ts']);
  for (const file of atStart)
    for (const { path, kind } of inputs[file]?.imports ?? []) if (kind !== 'dynamic-import') atStart.add(path);
  const libraries = (files: Iterable<string>) => [...files].filter((file) => /linkedom|readability/.test(file));
  expect(libraries(Object.keys(inputs)).length).toBeGreaterThan(50);
  expect(libraries(atStart)).toEqual([]);
});
