/** Refuses import circles between product files, and type names that several files export. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { readArguments } from './arguments.ts';

const FOLDERS = ['adapters', 'agents', 'bin', 'console', 'engines', 'functions', 'infra', 'shared'];
const GENERATED = new Set(['console/contract/bodies.ts', 'console/contract/words.ts']);

/** The specifiers of static and dynamic imports. Relies on the formatter: a static import starts a line. */
const IMPORT = /^(?:import|export)\s[^;']*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm;
const EXPORTED_TYPE = /^export (?:declare )?(?:type|interface) ([\w$]+)/gm;

type Source = { file: string; text: string };

const productFiles = (): Source[] =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...FOLDERS], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.tsx?$/.test(file) && !GENERATED.has(file) && existsSync(file))
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }));

const importsOf = ({ file, text }: Source): string[] =>
  [...text.matchAll(IMPORT)]
    .map(([, named, bare, dynamic]) => named ?? bare ?? dynamic ?? '')
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => normalize(join(dirname(file), specifier)));

/** Groups of files that import one another, directly or through others, type-only imports included. */
function importCircles(sources: readonly Source[]): string[][] {
  const imports = new Map(sources.map((source) => [source.file, importsOf(source)]));
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
  const exported = sources.flatMap(({ file, text }) =>
    [...new Set([...text.matchAll(EXPORTED_TYPE)].map(([, name = '']) => name))].map((name) => ({ name, file })),
  );
  return [...Map.groupBy(exported, ({ name }) => name)]
    .filter(([, places]) => places.length > 1)
    .map(([name, places]) => [name, places.map(({ file }) => file)]);
}

if (import.meta.main) {
  readArguments({ command: 'npm run check:structure' });
  const sources = productFiles();
  const faults = [
    ...importCircles(sources).map((circle) => `import circle: ${circle.join(' -> ')}`),
    ...repeatedTypes(sources).map(([name, files]) => `type ${name} is exported by ${files.join(' and ')}`),
  ];
  for (const fault of faults) console.error(fault);
  console.log(`structure: ${sources.length} product files, ${faults.length} faults`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
