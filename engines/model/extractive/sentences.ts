/** Splits prose into sentences: `Intl.Segmenter`, mended where it takes an abbreviation's full stop for an end. */

/** What ends with a full stop in the middle of a sentence. Ends of sentences such as "etc." are not here. */
const ABBREVIATED =
  /(?:^|[\s("'])(?:Dr|Mr|Mrs|Ms|Mx|Prof|Rev|Hon|Sr|Jr|St|Capt|Lt|Col|Gen|Sgt|No|Nos|Nr|Art|Sec|Sect|Cl|Fig|Figs|Tab|Eq|Ref|Vol|pp?|Ch|App|Ex|e\.g|i\.e|cf|vs|viz|approx|ca|incl|excl|resp|tel|ext|max|min|dept|est|Inc|Ltd|Co|Corp|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|z\.B|bzw|Abs|Mme|Mlle|\p{Lu}|(?:\p{Lu}\.)+\p{Lu}|\(?[\divx]{1,4})\.\s*$/iu;
/** These end a sentence as well as they abbreviate: what follows decides. */
const UNSURE =
  /(?:Inc|Ltd|Co|Corp|Jr|Sr|(?:\p{Lu}\.)+\p{Lu}|[Ee]st|[Ee]xt|[Mm]ax|[Mm]in|[Tt]el|[Nn]o|[Ee]x|[Aa]pp|[Cc]h|[Aa]rt|[Ss]ec|[Mm]ar|[\divxIVX]{1,4})\.\s*$/u;
const NUMBER_ALONE = /^\(?[\divx]{1,4}\.\s*$/iu;
const GOES_ON = /^[\s"'(]*[\p{Ll}\d]/u;
/** The abbreviation stands within this many signs of the end, which keeps the look-back short. */
const LOOK_BACK = 16;

const segmenters = new Map<string, Intl.Segmenter>();

function segmenterFor(language: string): Intl.Segmenter {
  const known = segmenters.get(language);
  if (known) return known;
  const supported = Intl.Segmenter.supportedLocalesOf([language]);
  const made = new Intl.Segmenter(supported[0] ?? 'en', { granularity: 'sentence' });
  segmenters.set(language, made);
  return made;
}

export function splitSentences(text: string, language: string): string[] {
  const sentences: string[] = [];
  let open = '';
  for (const { segment } of segmenterFor(language).segment(text)) {
    const joined = open !== '' && !goesOn(open, segment);
    if (joined) {
      sentences.push(open.trim());
      open = '';
    }
    open += segment;
  }
  if (open.trim() !== '') sentences.push(open.trim());
  return sentences;
}

function goesOn(before: string, after: string): boolean {
  const end = before.slice(-LOOK_BACK);
  if (NUMBER_ALONE.test(before)) return true;
  if (!ABBREVIATED.test(end)) return false;
  return !UNSURE.test(end) || GOES_ON.test(after);
}
