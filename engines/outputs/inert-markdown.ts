/**
 * Makes Markdown inert that a model wrote: nothing loads by itself, and links lead only to known URLs. Without this, a
 * model that obeys a malicious file could leak what it read inside a URL.
 */

/** Ends at white space, quotes and whatever closes a link. Matches more than a renderer would, never less. */
const ADDRESS = /(?:[a-z][a-z0-9+.-]{1,30}:\/\/|www\.)[^\s<>`"]+/gi;

const TRAILING = new Set(`.,;:!?'")]}*_~|\\`);

const FENCE = /^(`{3,}|~{3,})[^\n`]*\n[\s\S]*?(?:\n {0,3}\1[`~]*[ \t]*$|$(?![\s\S]))/gm;

/** A fence inside a list or a quote ends with it, which only a Markdown renderer can tell. */
const INNER_FENCE = /^(?!`{3}|~{3})[^\n]*?(?:`{3}|~{3})/m;

const TARGET = /\](\(|:)(\s*<?)([^\s>)]*)/g;

/** An anchor in the same text, or a file in the same folder. */
const BESIDE = /^[#\w][\w.-]*$/;

function trimAddress(address: string): string {
  let end = address.length;
  while (end > 0 && TRAILING.has(address[end - 1] ?? '')) end--;
  return address.slice(0, end);
}

/** Returns the URLs in the texts, each both in full and as a bracketed link would end it. */
export function addressesIn(texts: Iterable<string>): Set<string> {
  const addresses = new Set<string>();
  for (const text of texts) {
    for (const [address] of text.matchAll(ADDRESS)) {
      addresses.add(trimAddress(address));
      addresses.add(trimAddress(address.split(/[)\]]/, 1)[0] ?? ''));
    }
  }
  return addresses;
}

/** Text without any of these marks is safe as it is. */
const SIGNS = /[<[\]]|:\/\/|www\./i;

/** Neutralizes HTML tags, images and unknown URLs. `knownAddresses` is called at most once, and only if the text has URLs. */
export function toInert(text: string, knownAddresses: () => ReadonlySet<string>): string {
  if (!SIGNS.test(text)) return text;
  let urls: ReadonlySet<string> | undefined;
  const isKnown = (address: string) => {
    urls ??= knownAddresses();
    return urls.has(address);
  };
  const plain = (piece: string) => withoutActiveContent(piece, isKnown);
  if (INNER_FENCE.test(text)) return plain(text);
  let output = '';
  let at = 0;
  for (const fence of text.matchAll(FENCE)) {
    output += plain(text.slice(at, fence.index)) + fence[0];
    at = fence.index + fence[0].length;
  }
  return output + plain(text.slice(at));
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

/** Turns each unknown URL into inline code, unless it is inline code already, which means between two backticks. */
function withoutAddresses(line: string, isKnown: (address: string) => boolean): string {
  let output = '';
  let at = 0;
  let ticks = 0;
  for (const { 0: address, index } of line.matchAll(ADDRESS)) {
    const between = line.slice(at, index);
    ticks += between.split('`').length - 1;
    const url = trimAddress(address);
    at = index + url.length;
    const isLeft = isKnown(url) || (ticks % 2 === 1 && line[at] === '`');
    // Two adjacent backticks would read as one longer delimiter, so a space keeps them apart.
    const space = (beside: string | undefined) => (beside === '`' ? ' ' : '');
    output += between + (isLeft ? url : `${space(line[index - 1])}\`${url}\`${space(line[at])}`);
  }
  return output + line.slice(at);
}

const TAG = /<(?=[a-z/!?])(?![a-z][a-z0-9+.-]{1,30}:\/\/[^\s<>`]*>)/gi;

const CODE = /(?<![\\`])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g;

/**
 * Escapes tags outside of inline code. If the backticks of a paragraph do not pair up, its tags are escaped everywhere.
 */
const withoutTags = (text: string): string =>
  text
    .split(/(\n[ \t]*\n)/)
    .map((paragraph) => {
      const isClear = !paragraph.replace(CODE, '').includes('`');
      if (!isClear) return paragraph.replace(TAG, '&lt;');
      let output = '';
      let at = 0;
      for (const code of paragraph.matchAll(CODE)) {
        output += paragraph.slice(at, code.index).replace(TAG, '&lt;') + code[0];
        at = code.index + code[0].length;
      }
      return output + paragraph.slice(at).replace(TAG, '&lt;');
    })
    .join('');
