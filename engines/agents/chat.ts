/** The agent behind `input.type: "chat"`: reads what is attached and answers from it. */
import { type File, fileKey, type StoredFile } from '../../shared/files/file.ts';
import type { Blobs, Clock, Table } from '../../shared/ports.ts';
import type { ChatInput } from '../../shared/tasks/about.ts';
import type { Agent } from '../../shared/tasks/agent.ts';
import { TaskFailure } from '../../shared/tasks/failure.ts';
import type { Result } from '../../shared/tasks/result.ts';
import { extract } from '../model/extractive/extract.ts';
import type { Passage } from '../model/extractive/passage.ts';
import { plainText } from './plain-text.ts';

type Ports = { table: Table; blobs: Blobs; clock: Clock };

export const chatAgent = (ports: Ports): Agent => ({
  stages: [
    {
      name: 'answering',
      async run({ address: { organization }, input, signal }): Promise<Result> {
        const { prompt, fileIds, model } = input as ChatInput;
        const files = await attached(ports, organization, fileIds);
        const passages: Passage[] = [];
        for (const file of files) {
          signal.throwIfAborted();
          passages.push({ source: file.fileName, place: '', text: await plainText(ports.blobs, file) });
        }
        const { text } = extract(prompt, passages);
        return { text, usage: { model, inputTokens: 0, outputTokens: 0 } };
      },
    },
  ],
});

async function attached({ table, clock }: Ports, organization: string, fileIds: string[]): Promise<StoredFile[]> {
  if (fileIds.length === 0) return [];
  const rows = await table.getMany<File>(fileIds.map((id) => fileKey(organization, id)));
  return rows.map((row, at) => {
    const file = row?.value;
    if (file?.state === 'stored' && file.goneAt > clock.now()) return file;
    throw new TaskFailure('FILE_UNAVAILABLE', `The file ${fileIds[at]} is no longer there; attach it again.`);
  });
}
