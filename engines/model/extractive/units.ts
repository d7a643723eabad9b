/** The second pass: cuts a block into the units that are quoted. */
import type { BlockHeading, TextBlock } from './block-walk.ts';
import { walkBlocks } from './blocks.ts';
import { isCode } from './is-code.ts';
import type { Passage } from './passage.ts';
import { plainText, withoutUnseen } from './plain-text.ts';
import { splitSentences } from './sentences.ts';

export type QuoteUnit = {
  passage: number;
  block: TextBlock;
  /** As it is quoted: plain words on one line, but rows and code as they stand. */
  text: string;
  lead: string;
  /** All sentences of the block, and which of them this is. */
  sentences: string[];
  nth: number;
};

const WHOLE_ITEM = 320;
const MAX_UNIT = 1_200;

export function unitsOf(
  { passage, block }: Pick<QuoteUnit, 'passage' | 'block'>,
  passages: Passage[],
  language: string,
): QuoteUnit[] {
  const text = passages[passage]?.text ?? '';
  const raw = text.slice(block.start, block.end);
  const lead = block.lead ? text.slice(block.lead.start, block.lead.end) : '';
  if (block.kind === 'row' || block.kind === 'code') {
    const kept = withoutUnseen(raw).slice(0, MAX_UNIT);
    return [{ passage, block, text: kept, lead, sentences: [kept], nth: 0 }];
  }
  const plain = plainText(raw);
  const whole = block.kind === 'heading' || (block.kind !== 'prose' && plain.length <= WHOLE_ITEM);
  const sentences = (whole ? [plain] : splitSentences(plain, language)).map((sentence) => sentence.slice(0, MAX_UNIT));
  return sentences.map((sentence, nth) => ({ passage, block, text: sentence, lead: plainText(lead), sentences, nth }));
}

export function readUnits(passage: number, passages: Passage[], language: string): QuoteUnit[] {
  const { text = '', source = '' } = passages[passage] ?? {};
  const units: QuoteUnit[] = [];
  walkBlocks({ text, code: isCode(source) }, (block) => units.push(...unitsOf({ passage, block }, passages, language)));
  return units;
}

/** The headings above, the nearest first. */
export function headingsOf(block: TextBlock): string[] {
  const above: string[] = [];
  for (let at: BlockHeading | undefined = block.heading; at && above.length < 4; at = at.parent)
    above.push(plainText(at.text));
  return above;
}
