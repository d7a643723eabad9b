/** What the product brings along for the sources that every organization has, until it has its own of that name. */

import type { ResearchSource } from '../../shared/sources/source.ts';
import type { Sample } from './sample.ts';

export type Bundled = (name: string) => Promise<{ source: ResearchSource } | { sample: Sample } | undefined>;
