/** The research agent over the local folder, with sources and a model of the test's choice. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import { earlierResearch } from '../../../agents/research/previous-research.ts';
import { researchAgent } from '../../../agents/research/research-agent.ts';
import type { ResearchPorts } from '../../../agents/research/stages.ts';
import { readerFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import type { Document } from '../../../engines/documents/document.ts';
import { openDocuments } from '../../../engines/documents/documents.ts';
import type { ReportDocument } from '../../../engines/reports/report-document.ts';
import { fileGatherer } from '../../../engines/sources/stored-files.ts';
import type { ResearchInput } from '../../../shared/agents/research-input.ts';
import type { ResearchResults } from '../../../shared/agents/results/research.ts';
import type { Gather, GatheredItems, GatherRequest, SourceItem } from '../../../shared/sources/source-item.ts';
import type { AgentReport } from '../../../shared/tasks/agent-report.ts';
import { openFiles } from '../../shared/files/setup.ts';
import { fileOf, onlyModel, runReporting } from '../run-stages.ts';

export type Served = Partial<Omit<GatheredItems, 'source'>>;
export type NewItem = Partial<SourceItem> & { title: string; text: string };

export const itemsOf = (source: string, items: readonly NewItem[]): SourceItem[] =>
  items.map((item, at) => ({ source, address: `https://${source}.errand-tests.org/${at + 1}`, ...item }));

/** Pages by their URLs. Any other URL cannot be opened. */
export type Pages = Record<string, { text: string; publishedAt?: string; url?: string }>;

/** Its threads serve all researches of a test file. */
const documents = openDocuments(readerFilesFromCheckout());

export function openResearch(
  sources: Record<string, Served | Gather>,
  model?: LanguageModelV4,
  pages: Pages = {},
  files: Record<string, Document> = {},
) {
  const at = openFiles();
  const asked: ({ source: string } & GatherRequest)[] = [];
  const rendered: ReportDocument[] = [];
  const gather: Gather = async (organization, source, ask) => {
    asked.push({ source, ...ask });
    const served = sources[source];
    if (served === undefined) throw new Error(`The test has no source ${source}.`);
    if (typeof served === 'function') return served(organization, source, ask);
    return { source, items: [], faults: [], queries: 1, isSample: false, ...served };
  };
  const ports: ResearchPorts = {
    ...at,
    documents,
    earlierResearch: earlierResearch(at),
    gather,
    openPage: async (url) => {
      const page = pages[url];
      return page
        ? { url, title: 'Page', fetchedAt: at.clock.now(), ...page }
        : { refused: 'gone', explanation: 'no longer exists' };
    },
    gatherFiles: fileGatherer({ ...at, fileReader: { read: async ({ fileId }) => files[fileId] ?? 'gone' } }),
    modelOf: onlyModel(model),
    render: async (document, format) => {
      rendered.push(document);
      const bytes = Buffer.from(JSON.stringify(document));
      const missingScripts = format === 'pdf' && /\p{Script=Han}/u.test(document.title) ? ['Han'] : [];
      return { bytes, contentType: `x/${format}`, extension: format, missingScripts };
    },
  };
  const agent = researchAgent(ports);
  const address = { organization: at.ids.uuid(), taskId: at.ids.uuid() };
  const inputOf = (asks: ResearchInput) => ({
    model: model ? 'openai/m' : 'offline/extractive',
    asked: asks,
  });
  const stagesOf = (asks: ResearchInput) => agent.stages(inputOf(asks));

  /** Runs as many stages as are wished. */
  function run(
    given: Partial<ResearchInput> & { query: string },
    { most = Infinity, signal = new AbortController().signal } = {},
  ) {
    const asks: ResearchInput = { sources: Object.keys(sources), ...given };
    return runReporting<ResearchResults>(stagesOf(asks).slice(0, most), { address, input: asks, signal });
  }

  const textOf = async (report: AgentReport, nth?: number) => (await fileOf(at.blobs, report, nth)).toString();

  return { ...at, address, agent, ports, asked, rendered, stagesOf, run, textOf };
}
