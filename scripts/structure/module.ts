/** Reads one source file as its imports, exports and top-level declarations. Relies on the formatter: these start a line. */
import { dirname, join, normalize } from 'node:path';

export type Module = {
  file: string;
  lines: number;
  codeLines: number;
  importLines: number;
  imports: { target: string; names: string[] }[];
  exports: string[];
  exportedTypes: string[];
  /** Name of a top-level value -> the identifiers in its text. */
  declarations: Map<string, Set<string>>;
  /** Local name of an imported value -> where it comes from. */
  bindings: Map<string, { target: string; name: string }>;
};

const IMPORT =
  /^import\s+(type\s+)?(?:([\w$]+)\s*,?\s*)?(?:\*\s+as\s+([\w$]+)\s+)?(?:\{([^}]*)\}\s*)?(?:from\s+)?'([^']+)'[^;]*;$/gm;
const DYNAMIC_IMPORT = /\bimport\('([^']+)'\)/g;
const DECLARATION =
  /^(export\s+)?(?:declare\s+)?(?:async\s+)?(?:abstract\s+)?(const|let|function\*?|class|type|interface|enum)\s+([\w$]+|\{[^}]*\}|\[[^\]]*\])/;

type Name = { name: string; local: string; isType: boolean };

export function parseModule(file: string, text: string): Module {
  const imports: Module['imports'] = [];
  const bindings: Module['bindings'] = new Map();
  let importLines = 0;
  for (const [whole, onlyTypes, standard, namespace, named = '', specifier = ''] of text.matchAll(IMPORT)) {
    importLines += whole.split('\n').length;
    if (!specifier.startsWith('.')) continue;
    const target = normalize(join(dirname(file), specifier));
    const isType = onlyTypes !== undefined;
    const names = [
      ...named.split(',').flatMap((part) => namedImport(part, isType)),
      ...(standard ? [{ name: 'default', local: standard, isType }] : []),
      ...(namespace ? [{ name: '*', local: namespace, isType }] : []),
    ];
    for (const one of names) if (!one.isType) bindings.set(one.local, { target, name: one.name });
    imports.push({ target, names: names.map(({ name }) => name) });
  }
  const plain = withoutComments(text);
  return {
    file,
    imports: [...imports, ...dynamicImports(file, text)],
    bindings,
    importLines,
    lines: text.split('\n').length - 1,
    codeLines: countCode(plain),
    ...declarationsOf(plain),
  };
}

function namedImport(part: string, onlyTypes: boolean): Name[] {
  const [, isType, name, local] = /^\s*(type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?\s*$/.exec(part) ?? [];
  return name ? [{ name, local: local ?? name, isType: onlyTypes || isType !== undefined }] : [];
}

const dynamicImports = (file: string, text: string): Module['imports'] =>
  [...text.matchAll(DYNAMIC_IMPORT)].flatMap(([, specifier = '']) =>
    specifier.startsWith('.') ? [{ target: normalize(join(dirname(file), specifier)), names: ['*'] }] : [],
  );

const withoutComments = (text: string): string =>
  text.replace(/^\s*\/\*[\s\S]*?\*\/[ \t]*$/gm, '').replace(/^\s*\/\/.*$/gm, '');
const countCode = (text: string): number => text.split('\n').filter((line) => line.trim() !== '').length;

function declarationsOf(text: string): Pick<Module, 'exports' | 'exportedTypes' | 'declarations'> {
  const exports: string[] = [];
  const exportedTypes: string[] = [];
  const declarations: Module['declarations'] = new Map();
  let current: string[] = [];
  let body: string[] = [];
  const close = () => {
    const identifiers = new Set(body.join('\n').match(/(?<![\w$])(?<!(?<!\.\.)\.)[A-Za-z_$][\w$]*/g));
    for (const name of current) declarations.set(name, new Set([...(declarations.get(name) ?? []), ...identifiers]));
    body = [];
  };
  for (const line of text.split('\n')) {
    const found = DECLARATION.exec(line);
    if (found) {
      close();
      const [, isExported, kind = '', written = ''] = found;
      current = written.match(/[\w$]+/g) ?? [];
      if (isExported) exports.push(...current);
      if (/^(type|interface)$/.test(kind)) {
        if (isExported) exportedTypes.push(...current);
        current = [];
      }
    }
    body.push(line);
  }
  close();
  return { exports: [...new Set(exports)], exportedTypes: [...new Set(exportedTypes)], declarations };
}
