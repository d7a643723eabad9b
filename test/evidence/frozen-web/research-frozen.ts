/** Runs the product's own research agent on a frozen web, and reads what its public results say. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { OpenPage } from '../../../engines/sources/open-page.ts';
import type { SearchConnector } from '../../../engines/sources/web-search.ts';
import type { ResearchResults } from '../../../shared/agents/results/research.ts';
import { openResearch } from '../../agents/research/setup.ts';
import type { PublicResult } from './score.ts';
import type { FrozenWeb } from './serve.ts';
import type { Topic } from './topics.ts';

export type Means = {
  model?: LanguageModelV4;
  openPage?: OpenPage;
  connector?: SearchConnector;
};

/** `documents` are the URLs of all that was read. */
export type Researched = PublicResult & { results: ResearchResults; documents: string[] };

export async function researchFrozen(web: FrozenWeb, { id, question }: Topic, means: Means = {}): Promise<Researched> {
  const research = openResearch({}, means.model);
  research.ports.openPage = means.openPage ?? web.openPage;
  research.ports.searchConnector = async () => means.connector ?? web.connector;
  research.ports.gather = async (_, source) => ({ source, items: [], faults: [], queries: 0, isSample: false });
  const { results } = await research.run({ query: question, sources: [] });
  research.close();
  const { documents, findings } = results;
  const urls = new Map(documents.map(({ document, address }) => [document, address]));
  return {
    topic: id,
    results,
    documents: [...urls.values()],
    sources: documents.flatMap(({ cited, address }) => (cited ? [address] : [])),
    quotes: findings.flatMap(({ citations }) =>
      citations.map(({ document, quote }) => ({ url: urls.get(document) ?? '', quote })),
    ),
  };
}
