/** The `input` of a research agent. */
import type * as v from 'valibot';
import { inside, list, maybe, oneOf, words } from './field.ts';

const MOST_QUERY = 10_000;
const FORMATS = ['json', 'markdown', 'html', 'pdf'] as const;
export type ResearchFormat = (typeof FORMATS)[number];

export const researchInput = (sources: readonly string[]) =>
  inside({
    query: words(MOST_QUERY),
    research_type: maybe(words()),
    sources: maybe(list(oneOf(sources))),
    geographic_scope: maybe(list(words())),
    depth: maybe(words()),
    analysis_depth: maybe(words()),
    deliverables: maybe(list(words())),
    output_format: maybe(oneOf(FORMATS)),
  });

export type ResearchInput = v.InferOutput<ReturnType<typeof researchInput>>;
