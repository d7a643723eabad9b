/**
 * The architecture's arrows: who may import whom, that no files import one another in a circle, and that no two files export a
 * type of the same name. `npm run check` runs it over the tree.
 */
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
    'shared/core/console-page.ts',
    'shared/core/environment.ts',
    'shared/core/metrics.ts',
    'shared/core/stage-limits.ts',
    'shared/core/deployment-stage.ts',
    'shared/accounts/model-table.ts',
    'shared/accounts/models.ts',
    'shared/core/lane.ts',
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

/** The ground of `shared/`: it imports nothing else of ours but the ports. */
const GROUND = 'shared/core/';
const PORTS = 'shared/ports.ts';

/** Their types have the names of the types that they are generated from. */
const GENERATED = new Set(['console/contract/bodies.ts', 'console/contract/words.ts']);
/** Programs and the client's package have types of their own. */
const OWN_TYPES = /^(client|scripts)\//;
const EXPORTED_TYPE = /^export (?:declare )?(?:type|interface) ([\w$]+)/gm;

const AWS_PACKAGE = /^(@aws-sdk\/|@smithy\/|aws-cdk-lib|constructs|@middy\/)/;
const MAY_USE_AWS = /^(adapters\/aws|infra)\/|\.lambda\.ts$|^bin\/app\.ts$/;
const IMPORT = /(?:^|[\s;}])(?:import|export)\b[^'"`;]*?from\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g;

type Source = { file: string; text: string };

function violations(sources: Source[]): string[] {
  return sources.flatMap(({ file, text }) => [
    ...importsOf(text).flatMap((specifier) => {
      const reason = specifier.startsWith('.')
        ? (ourFault(file, specifier) ?? groundFault(file, specifier) ?? recordsFault(file, specifier))
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

function groundFault(file: string, specifier: string): string | undefined {
  const target = normalize(join(dirname(file), specifier));
  if (!file.startsWith(GROUND) || target.startsWith(GROUND) || target === PORTS) return undefined;
  return `${GROUND} is the ground of shared/ and imports ${PORTS} alone`;
}

/** The files of ours that each file imports, types included. */
const graphOf = (sources: readonly Source[]): Map<string, string[]> =>
  new Map(
    sources.map(({ file, text }) => [
      file,
      importsOf(text)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => normalize(join(dirname(file), specifier))),
    ]),
  );

/** Folders of `shared/` that import each other. */
function twoWayFolders(imports: Map<string, string[]>): string[] {
  const folderIn = (file: string): string | undefined => /^shared\/[^/]+(?=\/)/.exec(file)?.[0];
  const arrows = new Map<string, string>();
  for (const [file, targets] of imports)
    for (const target of targets) {
      const [from, to] = [folderIn(file), folderIn(target)];
      if (from && to && from !== to) arrows.set(`${from} ${to}`, `${file} imports ${target}`);
    }
  return [...arrows].flatMap(([arrow, example]) => {
    const [from = '', to = ''] = arrow.split(' ');
    const back = from < to ? arrows.get(`${to} ${from}`) : undefined;
    return back ? [`${from} and ${to} import each other: ${example}, ${back}`] : [];
  });
}

/** Groups of files that import one another, directly or through others. */
function importCircles(imports: Map<string, string[]>): string[][] {
  const reachable = new Map([...imports.keys()].map((file) => [file, filesReachedFrom(imports, file)]));
  const circles: string[][] = [];
  const listed = new Set<string>();
  for (const [file, targets] of reachable) {
    if (listed.has(file) || !targets.has(file)) continue;
    const circle = [...targets].filter((target) => reachable.get(target)?.has(file));
    for (const member of circle) listed.add(member);
    circles.push(circle);
  }
  return circles;
}

/** Contains the file itself if it is part of a circle. */
function filesReachedFrom(imports: Map<string, string[]>, file: string): Set<string> {
  const reached = new Set<string>();
  const waiting = [file];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const target of imports.get(next) ?? []) {
      if (!imports.has(target) || reached.has(target)) continue;
      reached.add(target);
      waiting.push(target);
    }
  return reached;
}

/** Names of types with the files that export them, where these are several. */
function repeatedTypes(sources: readonly Source[]): [name: string, files: string[]][] {
  const exported = sources
    .filter(({ file }) => !GENERATED.has(file) && !OWN_TYPES.test(file))
    .flatMap(({ file, text }) =>
      [...new Set([...text.matchAll(EXPORTED_TYPE)].map(([, name = '']) => name))].map((name) => ({ name, file })),
    );
  return [...Map.groupBy(exported, ({ name }) => name)]
    .filter(([, places]) => places.length > 1)
    .map(([name, places]) => [name, places.map(({ file }) => file)]);
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
  const sources = files.map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  const imports = graphOf(sources);
  const faults = [
    ...violations(sources),
    ...twoWayFolders(imports),
    ...importCircles(imports).map((circle) => `import circle: ${circle.join(' -> ')}`),
    ...repeatedTypes(sources).map(([name, places]) => `type ${name} is exported by ${places.join(' and ')}`),
  ];
  for (const fault of faults) console.error(fault);
  console.log(`arrows and circles: ${files.length} files, ${faults.length} faults`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
