/** What the product brings along for the sources that every organization has, until it has its own of that name. */

import type { ResearchSource } from '../../shared/sources/source.ts';
import type { SampleCorpus } from './sample.ts';

export type FindBundledSource = (
  name: string,
) => Promise<{ source: ResearchSource } | { sample: SampleCorpus } | undefined>;
