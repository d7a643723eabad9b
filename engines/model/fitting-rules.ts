/** The rules that fit a request, as a list: each as it stands in its ruleset, under the ruleset's name. */
import { extract } from './extractive/extract.ts';
import type { Passage } from './extractive/passage.ts';

/** Of each ruleset, where none of its rules fits more than the others. */
const MAX_CHARACTERS = 500;
/** Before a paragraph, and before what begins with the mark of a list or a heading. */
const ITEM = /\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)]|#{1,6})\s)/;
const HEADING = /^\s*#{1,6}\s/;

export function matchingRules(request: string, rulesets: Passage[]): string {
  const rules = rulesets.flatMap((ruleset) => itemsOf(ruleset.text).map((text) => ({ ...ruleset, text })));
  const cited = extract(request, rules).cited.map(({ source, excerpt }) => ({ source, text: excerpt }));
  const shown = cited.length > 0 ? cited : rulesets.flatMap(firstRules);
  return [...Map.groupBy(shown, ({ source }) => source)].map(([source, all]) => formatRules(source, all)).join('\n');
}

const itemsOf = (text: string): string[] =>
  text
    .split(ITEM)
    .filter((item) => !HEADING.test(item))
    .map((item) =>
      item
        .replace(/^\s*(?:[-*+]|\d+[.)])\s+/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter(Boolean);

/** Whole rules, and one at least. */
function firstRules({ source, text }: Passage) {
  let left = MAX_CHARACTERS;
  return itemsOf(text).flatMap((rule, at) => {
    left -= rule.length;
    return at === 0 || left >= 0 ? [{ source, text: rule.slice(0, MAX_CHARACTERS) }] : [];
  });
}

function formatRules(source: string, rules: { text: string }[]): string {
  const [only] = rules;
  if (rules.length === 1 && only) return `- ${source}: ${only.text}`;
  return [`- ${source}:`, ...rules.map(({ text }) => `  - ${text}`)].join('\n');
}
