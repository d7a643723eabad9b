/** Checks outputs with independent parsers: what would a spreadsheet calculate, and a browser run, load or follow? */
import { Parser } from 'htmlparser2';
import { marked } from 'marked';

const ACTIVE_ELEMENTS = new Set([
  'script',
  'img',
  'iframe',
  'object',
  'embed',
  'form',
  'input',
  'base',
  'link',
  'video',
  'audio',
]);

/** Active content of a page: elements, event handlers, and links outside `allowed`. */
export function activeInHtml(page: string, allowed: readonly string[] = []): string[] {
  const found: string[] = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      if (ACTIVE_ELEMENTS.has(name)) found.push(`<${name}>`);
      for (const [attribute, value] of Object.entries(attributes)) {
        const leads = ['href', 'src', 'xlink:href', 'action'].includes(attribute);
        if (/^on/i.test(attribute)) found.push(`<${name} ${attribute}>`);
        if (leads && !value.startsWith('#') && !allowed.includes(value))
          found.push(`<${name} ${attribute}="${value}">`);
      }
    },
  });
  parser.end(page);
  return found;
}

export const activeInMarkdown = (text: string, allowed: readonly string[] = []): string[] =>
  activeInHtml(marked.parse(text, { async: false, gfm: true }), allowed);

/** Some programs drop white space of any width, and invisible characters, before they look at a cell. */
const FORMULA = /^["\s%\u2800\p{Default_Ignorable_Code_Point}]*[=+\-@|]/u;
const NUMBER = /^["\s]*-?\d+(\.\d+)?%?["\s]*$/;

/** The cells that a spreadsheet with this list separator would calculate. With separators other than `,`, quotes do not protect a cell. */
export function formulasInCsv(text: string, separator: ',' | ';' | '\t'): string[] {
  const cells = separator === ',' ? quotedCells(text) : text.split(/[\r\n]+/).flatMap((line) => line.split(separator));
  return cells.filter((cell) => FORMULA.test(cell) && !NUMBER.test(cell));
}

function quotedCells(text: string): string[] {
  const cells: string[] = [];
  for (const [, quoted, plain] of text.matchAll(/(?:^|,|\r?\n)(?:"((?:[^"]|"")*)"|([^",\r\n]*))/g)) {
    cells.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
  }
  return cells;
}
