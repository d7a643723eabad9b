import { FILE_WRITERS } from '../../../agents/file-writers.ts';

/** The program of a thread in which every rule but one runs for ever, as on a hostile text. It writes files as ever. */
const endless = (): never => {
  for (;;);
};

export const TEXT_RULES = {
  answeredRecord: endless,
  bestSentences: endless,
  leadingPassages: endless,
  locateQuotes: endless,
  namedValues: endless,
  rankTexts: endless,
  readableShare: () => 1,
  searchPassages: endless,
  statedRecord: endless,
  ...FILE_WRITERS,
};
