/** The processing agent over the local folder, the real readers, documents of the test's own, and a model of its choice. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { processingAgent } from '../../../agents/processing/processing-agent.ts';
import { readerFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { type DocumentsOptions, openDocuments } from '../../../engines/documents/documents.ts';
import type { ModelOf } from '../../../engines/models/models.ts';
import type { ProcessingInput } from '../../../shared/agents/processing-input.ts';
import type { ProcessingResults } from '../../../shared/agents/results/processing.ts';
import { definedFields } from '../../../shared/core/optional-fields.ts';
import type { FetchedResponse, Outbound } from '../../../shared/ports.ts';
import type { Agent } from '../../../shared/tasks/agent.ts';
import type { AgentReport } from '../../../shared/tasks/agent-report.ts';
import { sharedDocuments } from '../../engines/documents/shared-threads.ts';
import { openFiles, storeText } from '../../shared/files/setup.ts';
import { fileOf, onlyModel, runReporting } from '../run-stages.ts';

const SAMPLES = join(import.meta.dirname, '../../engines/documents/samples');
const FIELDS = join(import.meta.dirname, 'fields/documents');

const HOST = 'https://files.errand-tests.org';
type Served = string | Uint8Array | 'refused' | 'failed' | (() => AsyncIterable<Uint8Array>);

export const sampleBytes = (name: string) => readFileSync(join(SAMPLES, name));
export const fieldBytes = (name: string) => readFileSync(join(FIELDS, name));

async function* whole(bytes: Uint8Array) {
  yield bytes;
}

type Around = {
  /** Which models accept images. */
  sees?: boolean | ((id: string) => boolean);
  /** In place of the one model under every id. */
  modelOf?: ModelOf;
  /** Threads of its own, with these settings. */
  threads?: Pick<DocumentsOptions, 'rulesFile' | 'limits'>;
};

export function openProcessing(
  model?: LanguageModelV4,
  { sees = false, modelOf = onlyModel(model), threads }: Around = {},
) {
  const at = openFiles();
  const pages = new Map<string, Served>();
  const asked: string[] = [];
  const outbound: Outbound = async (address) => {
    asked.push(address);
    const served = pages.get(new URL(address).pathname);
    if (served === undefined || served === 'failed') return 'failed';
    if (served === 'refused') return 'refused';
    const body = typeof served === 'function' ? served() : whole(Buffer.from(served));
    return { url: address, status: 200, headers: {}, body, cancel: () => undefined } satisfies FetchedResponse;
  };
  const ownThreads = threads && openDocuments({ ...readerFilesFromCheckout(), ...threads });
  const documents = ownThreads ?? sharedDocuments();
  const agent: Agent = processingAgent({
    ...at,
    documents,
    outbound,
    modelOf,
    acceptsImages: (id) => (typeof sees === 'boolean' ? sees : sees(id)),
  });
  const organization = at.ids.uuid();
  const address = { organization, taskId: at.ids.uuid() };

  /** Serves a document and tells its address. */
  const serve = (name: string, served: Served): { url: string } => {
    pages.set(`/${encodeURIComponent(name)}`, served);
    return { url: `${HOST}/${encodeURIComponent(name)}` };
  };

  const stagesOf = (
    asks: ProcessingInput,
    modelId = model ? 'openai/m' : 'offline/extractive',
    verifyModel?: string | undefined,
  ) => agent.stages({ model: modelId, asked: asks, ...definedFields({ verifyModel }) });

  /** Runs as many stages as are wished. */
  function run(
    asks: ProcessingInput,
    { most = Infinity, signal = new AbortController().signal, modelId = '', verifyModel = '' } = {},
  ) {
    const stages = stagesOf(asks, modelId || undefined, verifyModel || undefined);
    return runReporting<ProcessingResults>(stages.slice(0, most), {
      address,
      input: asks,
      signal,
    });
  }

  /** A stored file of an organization. */
  const store = async (fileName: string, text: string, owner = organization): Promise<{ file_id: string }> => ({
    file_id: await storeText(at, owner, { fileName, text }),
  });

  return {
    ...at,
    store,
    organization,
    documents,
    outbound,
    agent,
    asked,
    serve,
    stagesOf,
    run,
    fileOf: (report: AgentReport, nth?: number) => fileOf(at.blobs, report, nth),
    async close() {
      await ownThreads?.close();
      at.close();
    },
  };
}
