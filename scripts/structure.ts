/** The structure of the product code: sizes, imports, exports and journeys. `npm run check` prints and limits them. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { EXPECTED } from './structure/expected.ts';
import { journeyFiles } from './structure/journeys.ts';
import { type Module, parseModule } from './structure/module.ts';

const ROOMS = ['adapters', 'agents', 'bin', 'console', 'engines', 'functions', 'infra', 'shared'];
const GENERATED = new Set(['console/contract/bodies.ts', 'console/contract/words.ts']);

export type Figures = {
  files: number;
  codeLines: number;
  importShare: number;
  longest: string[];
  crowded: string[];
  singleUse: string[];
  localExports: number;
  /** Of those: used by one neighbouring file, by several, or by no product file (tests only, or unused). */
  localUse: { one: number; several: number; none: number };
  localNames: string[];
  repeatedTypes: string[];
  circles: string[][];
  journeys: Record<string, string[]>;
  /** The fewest files that could hold each journey: those of a folder merged up to the limit of lines. */
  fewest: Record<string, number>;
};

const MAX_LINES = 500;

export function productModules(): Map<string, Module> {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...ROOMS], { encoding: 'utf8' });
  const files = listed.split('\n').filter((file) => /\.tsx?$/.test(file) && !GENERATED.has(file) && existsSync(file));
  return new Map(files.map((file) => [file, parseModule(file, readFileSync(file, 'utf8'))]));
}

export function measure(modules: Map<string, Module>): Figures {
  const all = [...modules.values()];
  const importers = new Map<string, Set<string>>();
  for (const { file, imports } of all)
    for (const { target } of imports) importers.set(target, (importers.get(target) ?? new Set()).add(file));
  // A Lambda entry is loaded by AWS.
  const exported = all
    .filter(({ file }) => !file.endsWith('.lambda.ts'))
    .flatMap(({ file, exports }) => exports.map((name): Exported => ({ file, name })));
  const users = usersOf(all);
  const usersOfExport = ({ file, name }: Exported): string[] => [
    ...new Set([...(users.get(`${file}#${name}`) ?? []), ...(users.get(`${file}#*`) ?? [])]),
  ];
  const locals = exported
    .map((one) => ({ ...one, usedBy: usersOfExport(one) }))
    .filter(({ file, usedBy }) => usedBy.every((user) => dirname(user) === dirname(file)));
  const shareUsedBy = (fits: (files: number) => boolean): number =>
    locals.filter(({ usedBy }) => fits(usedBy.length)).length / exported.length;
  const codeLines = sum(all.map((module) => module.codeLines));
  const types = Map.groupBy(
    all.flatMap(({ file, exportedTypes }) => exportedTypes.map((name) => ({ name, file }))),
    ({ name }) => name,
  );
  const journeys = journeyFiles(modules);
  return {
    files: all.length,
    codeLines,
    importShare: sum(all.map((module) => module.importLines)) / codeLines,
    longest: all.filter(({ lines }) => lines > MAX_LINES).map(({ file, lines }) => `${file} (${lines})`),
    crowded: [...Map.groupBy(all, ({ file }) => dirname(file))]
      .filter(([, inside]) => inside.length > 15)
      .map(([folder, inside]) => `${folder} (${inside.length})`),
    singleUse: all
      .filter(({ file, lines }) => lines < 60 && isForOneSibling(file, importers.get(file)))
      .map(({ file }) => file),
    localExports: locals.length / exported.length,
    localUse: {
      one: shareUsedBy((files) => files === 1),
      several: shareUsedBy((files) => files > 1),
      none: shareUsedBy((files) => files === 0),
    },
    localNames: locals.map(({ file, name }) => `${file}#${name}`),
    repeatedTypes: [...types]
      .filter(([, places]) => places.length > 1)
      .map(([name, places]) => `${name} (${places.length})`),
    circles: circles(modules),
    journeys,
    fewest: Object.fromEntries(Object.entries(journeys).map(([name, files]) => [name, fewestFiles(modules, files)])),
  };
}

export function fewestFiles(modules: Map<string, Module>, files: readonly string[]): number {
  const linesOf = (inside: readonly string[]) => sum(inside.map((file) => modules.get(file)?.lines ?? 0));
  return sum([...Map.groupBy(files, dirname).values()].map((inside) => Math.ceil(linesOf(inside) / MAX_LINES)));
}

type Exported = { file: string; name: string };

/** `file#export` -> the files that import it. */
const usersOf = (all: Module[]): Map<string, string[]> =>
  new Map(
    [
      ...Map.groupBy(
        all.flatMap(({ file, imports }) =>
          imports.flatMap(({ target, names }) => names.map((name) => ({ name: `${target}#${name}`, file }))),
        ),
        ({ name }) => name,
      ),
    ].map(([name, uses]) => [name, uses.map(({ file }) => file)]),
  );

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);

const isForOneSibling = (file: string, importers: Set<string> | undefined): boolean =>
  importers?.size === 1 && [...importers].every((importer) => dirname(importer) === dirname(file));

/** Groups of files that import one another, type-only imports included. */
export function circles(modules: Map<string, Module>): string[][] {
  const reached = new Map([...modules.keys()].map((file) => [file, filesImportedBy(modules, file)]));
  const found: string[][] = [];
  const listed = new Set<string>();
  for (const [file, targets] of reached) {
    if (listed.has(file) || !targets.has(file)) continue;
    const circle = [...targets].filter((target) => reached.get(target)?.has(file));
    for (const one of circle) listed.add(one);
    found.push(circle);
  }
  return found;
}

/** Imported directly or through others. Contains the file itself if it is part of a circle. */
function filesImportedBy(modules: Map<string, Module>, file: string): Set<string> {
  const reached = new Set<string>();
  const waiting = [file];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const { target } of modules.get(next)?.imports ?? []) {
      if (!modules.has(target) || reached.has(target)) continue;
      reached.add(target);
      waiting.push(target);
    }
  return reached;
}

export function faults(figures: Figures): string[] {
  const fail = (is: boolean, text: string): string[] => (is ? [text] : []);
  const unlisted = (found: string[], listed: readonly string[]) =>
    found.filter((one) => !listed.includes(one.split(' ')[0] ?? ''));
  return [
    ...fail(
      figures.files > EXPECTED.files,
      `${figures.files} product files, at most ${EXPECTED.files}: merge what belongs together`,
    ),
    ...figures.longest.map((file) => `${file}: at most ${MAX_LINES} lines`),
    ...unlisted(figures.crowded, EXPECTED.crowded).map((folder) => `${folder}: at most 15 files in a folder`),
    ...unlisted(figures.singleUse, EXPECTED.singleUse).map(
      (file) => `${file}: under 60 lines with one importer, in its own folder: merge it there`,
    ),
    ...fail(
      figures.localExports > EXPECTED.localExports,
      `${percent(figures.localExports)} of the exports are used by no other folder, at most ${percent(EXPECTED.localExports)}: drop an export; npm run check:structure -- --list names them`,
    ),
    ...fail(
      figures.localUse.none > EXPECTED.testExports,
      `${percent(figures.localUse.none)} of the exports are used by no product file, at most ${percent(EXPECTED.testExports)}: test through a function that the product uses`,
    ),
    ...figures.repeatedTypes.map((type) => `type ${type}: exported under one name by several files`),
    ...figures.circles.map((circle) => `import circle: ${circle.map((file) => basename(file)).join(' -> ')}`),
    ...Object.entries(figures.journeys).flatMap(([name, files]) =>
      fail(
        files.length > (EXPECTED.journeys[name] ?? 0),
        `${name}: ${files.length} files to read, at most ${EXPECTED.journeys[name]}`,
      ),
    ),
  ];
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

if (import.meta.main) {
  const figures = measure(productModules());
  const wrong = faults(figures);
  for (const line of wrong) console.error(line);
  console.log(
    [
      `structure: ${figures.files} product files, ${figures.codeLines} code lines, ${percent(figures.importShare)} imports`,
      `folders above 15 files: ${figures.crowded.length}; small files for one sibling: ${figures.singleUse.length}; files above ${MAX_LINES} lines: ${figures.longest.length}`,
      `exports used by no other folder: ${percent(figures.localExports)} (one neighbour ${percent(figures.localUse.one)}, several ${percent(figures.localUse.several)}, tests only or unused ${percent(figures.localUse.none)}); repeated type names: ${figures.repeatedTypes.length}; import circles: ${figures.circles.length}`,
      `files to read: ${Object.entries(figures.journeys)
        .map(([name, files]) => `${name} ${files.length} (by their size at least ${figures.fewest[name]})`)
        .join(', ')}`,
    ].join('\n'),
  );
  if (process.argv.includes('--list')) console.log(JSON.stringify(figures, undefined, 1));
  process.exitCode = wrong.length > 0 ? 1 : 0;
}
