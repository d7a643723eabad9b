/** A file of a result on the screen: letters as letters, a report in a frame in which no program runs. */
import type { AgentContract } from '../../client/src/index.ts';
import { download } from '../../client/src/index.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { Fault } from '../ui/fault.tsx';
import { Letters } from '../ui/scroll.tsx';
import { useAsked } from '../use-asked.ts';
import { HtmlFrame } from './html-frame.tsx';

type File = AgentContract.ResultFile;
type Way = 'html' | 'markdown' | 'text';

const WAYS: Record<string, Way> = {
  'text/html': 'html',
  'text/markdown': 'markdown',
  'text/csv': 'text',
  'text/plain': 'text',
  'application/json': 'text',
};
const MOST_BYTES = 2_000_000;

export const previewOf = ({ content_type, size_bytes }: File): Way | undefined =>
  size_bytes > MOST_BYTES ? undefined : WAYS[content_type.split(';')[0]?.trim() ?? ''];

export function Preview({ file, onStale }: { file: File; onStale: () => void }) {
  const { data, fault, again } = useAsked(file.url, async (signal) =>
    (await download(file.url, { signal, mostBytes: MOST_BYTES })).text(),
  );
  const way = previewOf(file);
  if (fault) return <Fault fault={fault} onAgain={fault.code === 'NOT_FOUND' ? onStale : again} />;
  if (data === undefined) return <p class="muted">Loading…</p>;
  if (way === 'html') return <HtmlFrame html={data} title={file.name} />;
  if (way === 'markdown') return <Markdown text={data} />;
  return <Letters label={file.name} text={data} class="file-text letters" />;
}
