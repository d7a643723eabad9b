import { FILE_WRITERS } from '../../agents/file-writers.ts';

/** The program of a thread in which every rule but one runs for ever, as on a hostile text. It writes files as ever. */
const endless = (): never => {
  for (;;);
};

export const TEXT_RULES = {
  answeredRecord: endless,
  classifyParts: endless,
  findQuotes: endless,
  namedValues: endless,
  readableShare: () => 1,
  statedRecord: endless,
  summarizeParts: endless,
  ...FILE_WRITERS,
};
