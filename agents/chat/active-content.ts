// Makes a text of a model harmless to show as Markdown: nothing in it is loaded by itself, and no link leads where the
// task's own material does not. A model that obeys a stranger's file could else hand on what it read in an address.

/** Up to white space, quotes and what ends a link: more than a renderer would take, never less. */
const ADDRESS = /(?:[a-z][a-z0-9+.-]{1,30}:\/\/|www\.)[^\s<>`"]+/gi;

const TRAILING = new Set(`.,;:!?'")]}*_~|\\`);

const FENCE = /^(`{3,}|~{3,})[^\n`]*\n[\s\S]*?(?:\n {0,3}\1[`~]*[ \t]*$|$(?![\s\S]))/gm;

/** Inside a list or a quote a fence ends with it, which only a renderer knows. */
const INNER_FENCE = /^(?!`{3}|~{3})[^\n]*?(?:`{3}|~{3})/m;

const TARGET = /\](\(|:)(\s*<?)([^\s>)]*)/g;

/** A place in the same text, or a file beside it. */
const BESIDE = /^[#\w][\w.-]*$/;

function trimmed(address: string): string {
  let end = address.length;
  while (end > 0 && TRAILING.has(address[end - 1] ?? '')) end--;
  return address.slice(0, end);
}

/** The addresses that stand in texts as they are: whole, and as a link in brackets holds them. */
export function addressesIn(texts: Iterable<string>): Set<string> {
  const found = new Set<string>();
  for (const text of texts) {
    for (const [address] of text.matchAll(ADDRESS)) {
      found.add(trimmed(address));
      found.add(trimmed(address.split(/[)\]]/, 1)[0] ?? ''));
    }
  }
  return found;
}

/** What has none of these signs is harmless as it stands. */
const SIGNS = /[<[\]]|:\/\/|www\./i;

/** `known` is asked for only when there is something to ask. */
export function inert(text: string, known: () => ReadonlySet<string>): string {
  if (!SIGNS.test(text)) return text;
  let given: ReadonlySet<string> | undefined;
  const isKnown = (address: string) => {
    given ??= known();
    return given.has(address);
  };
  const plain = (piece: string) => withoutActiveContent(piece, isKnown);
  if (INNER_FENCE.test(text)) return plain(text);
  let done = '';
  let at = 0;
  for (const fence of text.matchAll(FENCE)) {
    done += plain(text.slice(at, fence.index)) + fence[0];
    at = fence.index + fence[0].length;
  }
  return done + plain(text.slice(at));
}

const withoutActiveContent = (text: string, isKnown: (address: string) => boolean): string =>
  withoutTags(text)
    .replaceAll('![', '[')
    .replace(TARGET, (as, sign: string, before: string, target: string) =>
      BESIDE.test(target) || target === '' || isKnown(target) ? as : `] ${sign}${before}${target}`,
    )
    .split('\n')
    .map((line) => withoutAddresses(line, isKnown))
    .join('\n');

/** An address that nobody gave becomes code, unless it stands in code: between a first sign of it and a second. */
function withoutAddresses(line: string, isKnown: (address: string) => boolean): string {
  let done = '';
  let at = 0;
  let ticks = 0;
  for (const { 0: address, index } of line.matchAll(ADDRESS)) {
    const between = line.slice(at, index);
    ticks += between.split('`').length - 1;
    const shown = trimmed(address);
    at = index + shown.length;
    const isLeft = isKnown(shown) || (ticks % 2 === 1 && line[at] === '`');
    // One sign beside another would be a longer one, which opens and closes something else.
    const space = (beside: string | undefined) => (beside === '`' ? ' ' : '');
    done += between + (isLeft ? shown : `${space(line[index - 1])}\`${shown}\`${space(line[at])}`);
  }
  return done + line.slice(at);
}

const TAG = /<(?=[a-z/!?])(?![a-z][a-z0-9+.-]{1,30}:\/\/[^\s<>`]*>)/gi;

const CODE = /(?<![\\`])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g;

/** In code they are letters; only where each line's code is whole can nobody take it for another's. */
const withoutTags = (text: string): string =>
  text
    .split(/(\n[ \t]*\n)/)
    .map((paragraph) => {
      const isClear = !paragraph.replace(CODE, '').includes('`');
      if (!isClear) return paragraph.replace(TAG, '&lt;');
      let done = '';
      let at = 0;
      for (const code of paragraph.matchAll(CODE)) {
        done += paragraph.slice(at, code.index).replace(TAG, '&lt;') + code[0];
        at = code.index + code[0].length;
      }
      return done + paragraph.slice(at).replace(TAG, '&lt;');
    })
    .join('');
