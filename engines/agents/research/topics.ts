/** By what a sentence is known to belong to a topic: cues for those that are known, its own words for any other. */
import { lexiconOf, termsOf } from '../../model/extractive/terms.ts';
import type { Deliverable } from './deliverables.ts';
import { countIn } from './search.ts';

export type Topic = { title: string; fits(sentence: string): number };

const CUES: Record<string, RegExp> = {
  market_overview:
    /\b(?:market(?:s|place)?|industry|sector|demand|suppl(?:y|ies)|sales|volumes?|turnover|revenues?|capacity|prices?|share of|worth|consumers?|customers?)\b/iu,
  competitor_analysis:
    /\b(?:compet\w+|rivals?|market share|peers?|incumbents?|challengers?|merg(?:er|ed|es)|acqui(?:re|res|red|sition)s?|takeover|leader|outsold|undercut\w*|ahead of|overtook)\b/iu,
  trends:
    /\b(?:trends?|gr(?:ow|ew|owth|own|owing)|ris(?:e|es|en|ing)|rose|f(?:all|ell|allen|alling)|increas\w+|decreas\w+|declin\w+|climb\w*|rais(?:e|es|ed|ing)|drop\w*|cut|froze|freez\w+|doubl\w+|tripl\w+|halv\w+|up from|down from|compared (?:with|to)|since \d{4}|year[- ]on[- ]year|expected to|forecast\w*|shift\w*|higher|lower|slow(?:ed|ing|down))\b/iu,
  risks:
    /\b(?:risks?|threat\w*|uncertain\w*|warn\w*|shortages?|disrupt\w*|delays?|loss(?:es)?|volatil\w*|sanctions?|strikes?|lawsuits?|exposed|exposure|vulnerab\w*|concern\w*|fail(?:s|ed|ure|ures)|could (?:fall|lose|delay|cut)|downturn|pressure)\b/iu,
  opportunities:
    /\b(?:opportunit\w+|potential|expand\w*|expansion|untapped|new markets?|invest(?:s|ed|ing|ments?)?|could (?:grow|gain|rise|double)|room for|promising|subsid\w+|incentives?)\b/iu,
  recommendations:
    /\b(?:should|recommend\w*|advis\w+|urg(?:e|es|ed)|must|ought to|needs? to|call(?:s|ed)? (?:for|on)|propos\w+|suggest\w*)\b/iu,
};

/** `fits` is nought for a sentence that does not belong, and more for one that belongs more. */
export function topicOf({ title, topic = '' }: Deliverable): Topic {
  const cue = Object.hasOwn(CUES, topic) ? CUES[topic] : undefined;
  if (cue) {
    const all = new RegExp(cue.source, 'giu');
    return { title, fits: (sentence) => Math.min(3, [...sentence.matchAll(all)].length) };
  }
  const lexicon = lexiconOf(termsOf(topic));
  return {
    title,
    fits: (sentence) => [...countIn(sentence, lexicon).counts.values()].reduce((sum, one) => sum + Math.min(1, one), 0),
  };
}
