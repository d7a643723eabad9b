/** Which groups of an RTF hold text of the document, and which hold something else. */

/** `mark` is what the program writes before a list item. */
export type Destination = 'body' | 'mark' | 'fonts' | 'styles' | 'note' | 'margin' | 'nowhere';

const DESTINATIONS: Record<string, Destination> = {
  fonttbl: 'fonts',
  stylesheet: 'styles',
  footnote: 'note',
  listtext: 'mark',
  pntext: 'mark',
};

const MARGIN = /^(header|footer)[lrf]?$/;

const IGNORED = new Set(
  `colortbl info pict object objdata fldinst datafield themedata colorschememapping datastore listtable
  listoverridetable rsidtbl generator xmlnstbl latentstyles filetbl revtbl bkmkstart bkmkend nonshppict shppict
  sp mmathPr private1 pgptbl pnseclvl background template userprops wgrffmtfilter atnid atnauthor atndate atnref
  ftnsep ftnsepc aftnsep aftnsepc xe tc`.split(/\s+/),
);

/** Groups behind `\*` that hold text all the same. */
const OPTIONAL_BUT_READ = new Set(['shpinst', 'shptxt', 'annotation']);

/** Where the group that begins with this word belongs; nothing when the word says nothing about that. */
export function destinationOf(word: string, isOptional: boolean): Destination | undefined {
  if (MARGIN.test(word)) return 'margin';
  if (word in DESTINATIONS) return DESTINATIONS[word];
  if (IGNORED.has(word)) return 'nowhere';
  return isOptional && !OPTIONAL_BUT_READ.has(word) ? 'nowhere' : undefined;
}
