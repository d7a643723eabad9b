/** The current location in the console: the part of the URL after `#`. */

export type PageLocation = { path: string; query: URLSearchParams };
export type Params = Record<string, string>;

export function placeOf(hash: string): PageLocation {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?', 2);
  return { path: path.startsWith('/') ? path : `/${path}`, query: new URLSearchParams(query) };
}

/** Undefined and empty values are omitted. */
export function hrefOf(path: string, query: Record<string, string | number | undefined> = {}): string {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)] as const],
  );
  return `#${path}${parameters.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(parameters))}`}`;
}

/** `/agents/:id` matches `/agents/task_1` with `{ id: 'task_1' }`. */
export function matchPath(pattern: string, path: string): Params | undefined {
  const patternParts = pattern.split('/');
  const parts = path.replace(/(?<=.)\/$/, '').split('/');
  if (patternParts.length !== parts.length) return undefined;
  const params: Params = {};
  for (const [index, part] of patternParts.entries()) {
    const text = parts[index] ?? '';
    if (!part.startsWith(':')) {
      if (part !== text) return undefined;
      continue;
    }
    const value = decodePart(text);
    if (!value) return undefined;
    params[part.slice(1)] = value;
  }
  return params;
}

function decodePart(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

export type PageProps = { params: Params; query: URLSearchParams };
