/**
 * Loads the sources of `shared/tasks/`, one of them changed when asked. All in memory: a mutant takes a millisecond,
 * where the runtime's own loader and a folder of copies would take twenty.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { transform } from 'esbuild';

const TASKS = join(import.meta.dirname, '../../shared/tasks');
/** Every other room's are the real ones. */
const real = createRequire(join(TASKS, 'task.ts'));

export const sourceOf = (file: string): string => readFileSync(join(TASKS, file), 'utf8');

/** The exports of those files, as one object. */
export type Loader = <T>(...files: string[]) => T;
type Compiled = (require: (name: string) => unknown, module: { exports: object }) => void;

async function compiled(source: string): Promise<Compiled> {
  const { code } = await transform(source, { loader: 'ts', format: 'cjs', target: 'node24' });
  return new Function('require', 'module', code) as Compiled;
}

const originals = new Map<string, Promise<Compiled>>();
function original(file: string): Promise<Compiled> {
  const known = originals.get(file) ?? compiled(sourceOf(file));
  originals.set(file, known);
  return known;
}

/** `files` are all that are loaded from there, directly or by one another. */
export async function loaderOf(files: readonly string[], changed?: { file: string; source: string }): Promise<Loader> {
  const parts = new Map<string, Compiled>();
  for (const file of files) {
    parts.set(file, await (file === changed?.file ? compiled(changed.source) : original(file)));
  }
  const loaded = new Map<string, object>();

  function require(name: string): unknown {
    const file = basename(name);
    const part = parts.get(file);
    if (!part || !name.startsWith('./')) return real(name);
    const known = loaded.get(file);
    if (known) return known;
    const module = { exports: {} };
    part(require, module);
    loaded.set(file, module.exports);
    return module.exports;
  }

  return (...wanted) => Object.assign({}, ...wanted.map((file) => require(`./${file}`)));
}
