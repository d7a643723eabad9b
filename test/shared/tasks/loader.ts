/**
 * Loads sources of `shared/` in memory, one of them optionally mutated. A mutant takes a millisecond, where Node's own
 * loader with a folder of copies would take twenty.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { transform } from 'esbuild';

const ROOT = join(import.meta.dirname, '../../..');
const TASKS = 'shared/tasks';
const real = createRequire(join(ROOT, TASKS, 'task.ts'));

/** Accepts a name in `shared/tasks/`, or a path. */
const pathOf = (file: string): string => (file.includes('/') ? file : `${TASKS}/${file}`);
export const sourceOf = (file: string): string => readFileSync(join(ROOT, pathOf(file)), 'utf8');

/** Returns the exports of the files as one object. */
export type Loader = <T>(...files: string[]) => T;
type Run = (require: (name: string) => unknown, module: { exports: object }) => void;
type Part = { run: Run; imports: string[] };
type Changed = { file: string; source: string };

async function compiled(path: string, source: string): Promise<Part> {
  const { code } = await transform(source, { loader: 'ts', format: 'cjs', target: 'node24' });
  const names = [...code.matchAll(/require\("([^"]+)"\)/g)].map(([, name = '']) => name);
  const imports = names.filter((name) => name.startsWith('.')).map((name) => join(dirname(path), name));
  return { run: new Function('require', 'module', code) as Run, imports };
}

const originals = new Map<string, Promise<Part>>();
function original(path: string): Promise<Part> {
  const part = originals.get(path) ?? compiled(path, sourceOf(path));
  originals.set(path, part);
  return part;
}

/** Compiles the files and their imports within the folder `room`; imports from other folders are the real modules. */
async function partsOf(files: readonly string[], { room, changed }: { room: string; changed: Changed | undefined }) {
  const parts = new Map<string, Part>();
  const queue = files.map(pathOf);
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (parts.has(path) || !path.startsWith(`${room}/`)) continue;
    const isChanged = changed && path === pathOf(changed.file);
    const part = await (isChanged ? compiled(path, changed.source) : original(path));
    parts.set(path, part);
    queue.push(...part.imports);
  }
  return parts;
}

type Options = { room?: string; packages?: Readonly<Record<string, unknown>> };

/** `packages` replaces the packages of the given names. */
export async function loaderOf(
  files: readonly string[],
  changed?: Changed,
  { room = TASKS, packages = {} }: Options = {},
): Promise<Loader> {
  const parts = await partsOf(files, { room, changed });
  const loaded = new Map<string, object>();

  function load(path: string, { run }: Part): object {
    const loadedModule = loaded.get(path);
    if (loadedModule) return loadedModule;
    const module = { exports: {} };
    run((name) => {
      const inner = name.startsWith('.') ? join(dirname(path), name) : name;
      const part = parts.get(inner);
      if (part) return load(inner, part);
      return packages[name] ?? real(name.startsWith('.') ? join(ROOT, inner) : name);
    }, module);
    loaded.set(path, module.exports);
    return module.exports;
  }

  return (...requested) =>
    Object.assign({}, ...requested.map((file) => load(pathOf(file), parts.get(pathOf(file)) as Part)));
}
