/** The architecture's arrows: who may import whom. `npm run check` runs it over the tree. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { readArguments } from './arguments.ts';

/** The folders of the product that each folder may import, apart from itself. Tests may import everything. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  shared: [],
  engines: ['shared'],
  'adapters/aws': ['shared'],
  'adapters/local': ['shared'],
  agents: ['shared', 'engines'],
  'adapters/local/server.ts': ['shared', 'functions', 'engines'],
  functions: ['shared', 'package.json'],
  'functions/*.lambda.ts': ['shared', 'adapters/aws', 'agents', 'engines', 'functions'],
  infra: [
    'functions',
    'shared/core/blobs.ts',
    'shared/core/console.ts',
    'shared/core/environment.ts',
    'shared/core/log.ts',
    'shared/core/stage.ts',
    'shared/accounts/providers.ts',
    'shared/lanes/lane.ts',
    'adapters/aws/dynamo-items.ts',
  ],
  client: [],
  console: ['client'],
  bin: [
    'shared',
    'agents',
    'engines',
    'adapters/local',
    'adapters/aws',
    'functions',
    'infra',
    'console',
    'package.json',
  ],
  scripts: [
    'shared',
    'agents',
    'engines',
    'adapters/local',
    'adapters/aws',
    'functions',
    'infra',
    'bin',
    'client',
    'test',
    'package.json',
  ],
};

/**
 * The folders of the rules that match, read or judge a text of a stranger, which may take a regular expression seconds. They
 * run in threads alone: `agents/apply-rule.ts` applies them by name, and only their program imports them. Types are free.
 */
const TEXT_RULES = [
  'agents/chat/rules/',
  'agents/notification/rules/',
  'agents/processing/rules/',
  'agents/records/answers/',
  'agents/records/invoices/',
  'agents/records/matching/',
  'agents/research/rules/',
  'agents/values/',
  'agents/verification/evidence/',
  'engines/retrieval/excerpt.ts',
  'engines/retrieval/search.ts',
];
const TEXT_RULES_PROGRAM = 'agents/text-rules.ts';
/** What renders whole reports, which takes seconds, runs there too. */
const REPORT_WRITER = 'engines/reports/render-report.ts';
const FILE_WRITERS = 'agents/file-writers.ts';
/** What reads no document, or goes with the answers that need no model. */
const IMPORTS_TEXT_RULES: Record<string, readonly string[]> = {
  // The names of the fields of a schema, of at most 32 kB.
  'agents/records/field-words.ts': ['agents/records/invoices/labels.ts'],
};

/** Records are filled for several agents, through one function, and know none of them. */
const RECORDS = 'agents/records/';
const RECORDS_DOOR = 'agents/records/fill-record.ts';
const BEHIND_RECORDS_DOOR = 'agents/records/ask-fields.ts';
const AGENTS = ['agents/chat/', 'agents/notification/', 'agents/processing/', 'agents/research/'];

const AWS_PACKAGE = /^(@aws-sdk\/|@smithy\/|aws-cdk-lib|constructs|@middy\/)/;
const MAY_USE_AWS = /^(adapters\/aws|infra)\/|\.lambda\.ts$|^bin\/app\.ts$/;
const IMPORT = /(?:^|[\s;}])(?:import|export)\b[^'"`;]*?from\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g;

type Source = { file: string; text: string };

function violations(sources: Source[]): string[] {
  return sources.flatMap(({ file, text }) => [
    ...importsOf(text).flatMap((specifier) => {
      const reason = specifier.startsWith('.')
        ? (ourFault(file, specifier) ?? recordsFault(file, specifier))
        : packageFault(file, specifier);
      return reason ? [`${file} imports ${specifier}: ${reason}`] : [];
    }),
    ...valueImportsOf(text).flatMap((specifier) =>
      bypassesThreads(file, specifier)
        ? [`${file} imports ${specifier}: rules on texts run in threads, which agents/apply-rule.ts asks`]
        : [],
    ),
  ]);
}

function bypassesThreads(file: string, specifier: string): boolean {
  if (!specifier.startsWith('.')) return false;
  const target = normalize(join(dirname(file), specifier));
  const isIn = (path: string, places: readonly string[]) => places.some((place) => path.startsWith(place));
  if (target === TEXT_RULES_PROGRAM) return true;
  if (target === FILE_WRITERS) return file !== TEXT_RULES_PROGRAM;
  if (target === REPORT_WRITER) return file !== FILE_WRITERS;
  if (!isIn(target, TEXT_RULES) || isIn(file, TEXT_RULES) || file === TEXT_RULES_PROGRAM) return false;
  return !isIn(target, IMPORTS_TEXT_RULES[file] ?? []);
}

function recordsFault(file: string, specifier: string): string | undefined {
  const target = normalize(join(dirname(file), specifier));
  if (file.startsWith(RECORDS) && AGENTS.some((agent) => target.startsWith(agent)))
    return 'records know no agent: what both need belongs into agents/ or agents/records/';
  return target === BEHIND_RECORDS_DOOR && !file.startsWith(RECORDS)
    ? `records are filled through ${RECORDS_DOOR}`
    : undefined;
}

const importsOf = (text: string): string[] => [...text.matchAll(IMPORT)].map(([, from, bare]) => from ?? bare ?? '');

/** Without the statements that import types alone. */
const valueImportsOf = (text: string): string[] =>
  importsOf(text.replaceAll(/^(?:import|export) type [^;]*?;/gm, '').replaceAll(/= import\([^)]*\)/g, ''));

function ourFault(file: string, specifier: string): string | undefined {
  const target = normalize(join(dirname(file), specifier));
  const from = roomOf(file);
  const allowed = MAY_IMPORT[from];
  if (!allowed) return `${from} is not a room of the house (scripts/arrows.ts names them)`;
  const folder = topOf(target);
  if (folder === topOf(file) && !isEntry(target)) return undefined;
  if (isEntry(target)) return 'an entry is imported by nobody';
  return allowed.some((name) => name === folder || name === target) ? undefined : `${from} may not import ${folder}`;
}

const packageFault = (file: string, specifier: string): string | undefined =>
  AWS_PACKAGE.test(specifier) && !MAY_USE_AWS.test(file)
    ? 'AWS packages stay in adapters/aws/, infra/ and entries'
    : undefined;

/** The top-level folder of a file; each adapter counts as a folder of its own. */
const topOf = (file: string): string => /^(adapters\/)?[^/]+/.exec(file)?.[0] ?? '';
const isEntry = (file: string): boolean => file.endsWith('.lambda.ts');

function roomOf(file: string): string {
  if (isEntry(file)) return 'functions/*.lambda.ts';
  return file in MAY_IMPORT ? file : topOf(file);
}

if (import.meta.main) {
  readArguments({ command: 'npm run check:arrows' });
  const files = globSync('{shared,engines,agents,adapters,functions,infra,client,console,bin,scripts}/**/*.{ts,tsx}');
  const forbidden = violations(files.map((file) => ({ file, text: readFileSync(file, 'utf8') })));
  for (const line of forbidden) console.error(line);
  console.log(`arrows: ${files.length} files, ${forbidden.length} forbidden imports`);
  process.exitCode = forbidden.length > 0 ? 1 : 0;
}
