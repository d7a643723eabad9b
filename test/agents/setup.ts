/** The chat agent over the local table and folder, the real readers, and a model of the test's choice. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { chatAgent } from '../../agents/chat/chat-agent.ts';
import { reportRenderer } from '../../agents/write-files.ts';
import { fontFilesFromCheckout, readerFilesFromCheckout } from '../../engines/assets/checkout-files.ts';
import { type DocumentsOptions, openDocuments } from '../../engines/documents/documents.ts';
import { fileReader } from '../../engines/documents/file-reader.ts';
import type { Semaphore } from '../../shared/core/semaphore.ts';
import { systemEvery, systemWait } from '../../shared/core/time.ts';
import { bytesKey, fileDraft } from '../../shared/files/file.ts';
import type { Bytes } from '../../shared/ports.ts';
import type { Work } from '../../shared/tasks/agent.ts';
import type { ChatInput } from '../../shared/tasks/details.ts';
import { sharedDocuments } from '../engines/documents/shared-threads.ts';
import { openFiles } from '../shared/files/setup.ts';
import { onlyModel, runStages } from './run-stages.ts';

const SAMPLES = join(import.meta.dirname, '../engines/documents/samples');

type Around = {
  /** Which models accept images. */
  sees?: boolean | ((id: string) => boolean);
  memory?: Semaphore;
  /** Threads of its own, with these settings. */
  threads?: Pick<DocumentsOptions, 'rulesFile' | 'limits'>;
};

export function openAgent(model?: LanguageModelV4, { sees = false, memory, threads }: Around = {}) {
  const at = openFiles();
  const organization = at.ids.uuid();
  const ownThreads = threads && openDocuments({ ...readerFilesFromCheckout(), ...threads });
  const documents = ownThreads ?? sharedDocuments();
  const reader = fileReader({ ...at, documents, every: systemEvery, pause: systemWait });
  const ports = {
    ...at,
    documents,
    fileReader: reader,
    render: reportRenderer(documents, fontFilesFromCheckout()),
    modelOf: onlyModel(model),
    acceptsImages: (id: string) => (typeof sees === 'boolean' ? sees : sees(id)),
  };
  const agent = chatAgent(ports, memory);

  /** Its row alone. */
  async function note(fileName: string, size: number): Promise<{ fileId: string; bytesAt: string }> {
    const fileId = at.ids.uuid();
    const bytesAt = bytesKey(organization, fileId, at.ids.mark());
    const createdAt = at.clock.now();
    const goneAt = createdAt + 1e9;
    const stored = { state: 'stored', fileName, mimeType: 'a/b', size, createdAt, goneAt, bytesAt } as const;
    await at.table.insert(fileDraft(organization, fileId, stored));
    return { fileId, bytesAt };
  }

  async function store(fileName: string, bytes: Uint8Array): Promise<string> {
    const { fileId, bytesAt } = await note(fileName, bytes.length);
    await at.blobs.put(bytesAt, whole(bytes), { maxBytes: bytes.length + 1 });
    return fileId;
  }

  /** Begins after this many completed stages, with what the last of them handed over. */
  function run(
    input: Partial<ChatInput>,
    signal = new AbortController().signal,
    { completed, carried }: { completed: number; carried?: unknown } = { completed: 0 },
  ) {
    const given: ChatInput = {
      prompt: 'What is in it?',
      fileIds: [],
      steps: [],
      rulesets: [],
      model: model ? 'openai/m' : 'offline/extractive',
      ...input,
    };
    const address = { organization, taskId: at.ids.uuid() };
    const work: Omit<Work, 'meter'> = { address, input: given, signal, report: () => undefined };
    return runStages(agent.stages(given).slice(completed), work, carried);
  }

  return {
    ...at,
    organization,
    reader,
    note,
    store,
    storeText: (fileName: string, text: string) => store(fileName, Buffer.from(text)),
    storeSample: (name: string) => store(name, readFileSync(join(SAMPLES, name))),
    run,
    async close() {
      await ownThreads?.close();
      at.close();
    },
  };
}

async function* whole(bytes: Uint8Array): Bytes {
  yield bytes;
}
