/** The second pass: cuts a block into the units that are quoted. */
import type { Block, Heading } from './blocks.ts';
import type { Hit } from './find-blocks.ts';
import type { Passage } from './passage.ts';
import { plainText, withoutUnseen } from './plain-text.ts';
import { splitSentences } from './sentences.ts';

export type Unit = {
  passage: number;
  block: Block;
  /** Its number among the units of its block. */
  nth: number;
  /** As it is quoted: plain words on one line, but rows and code as they stand. */
  text: string;
  lead: string;
  /** The whole block, and the sentence before this one. */
  around: string;
  before: string;
};

const WHOLE_ITEM = 320;
const MAX_UNIT = 1_200;

export function unitsOf(
  { passage, block }: Pick<Hit, 'passage' | 'block'>,
  passages: Passage[],
  language: string,
): Unit[] {
  const text = passages[passage]?.text ?? '';
  const raw = text.slice(block.start, block.end);
  const lead = block.lead ? text.slice(block.lead.start, block.lead.end) : '';
  if (block.kind === 'row' || block.kind === 'code') {
    const kept = withoutUnseen(raw).slice(0, MAX_UNIT);
    return [{ passage, block, nth: 0, text: kept, lead, around: '', before: '' }];
  }
  const around = plainText(raw);
  const whole = block.kind === 'heading' || (block.kind !== 'prose' && around.length <= WHOLE_ITEM);
  const sentences = whole ? [around] : splitSentences(around, language);
  return sentences.map((sentence, nth) => ({
    passage,
    block,
    nth,
    text: sentence.slice(0, MAX_UNIT),
    lead: plainText(lead),
    around: sentences.length > 1 ? around : '',
    before: sentences[nth - 1] ?? '',
  }));
}

/** The headings above, the nearest first. */
export function headingsOf(block: Block): string[] {
  const above: string[] = [];
  for (let at: Heading | undefined = block.heading; at && above.length < 4; at = at.parent)
    above.push(plainText(at.text));
  return above;
}
