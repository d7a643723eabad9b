/** The files of a result: download, and preview where that is safe. */
import { useMemo, useRef, useState } from 'preact/hooks';
import { type AgentContract, download } from '../../client/src/index.ts';
import { bytes } from '../format.ts';
import { useApiData } from '../hooks.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { Fault } from '../ui/fault.tsx';
import { Letters } from '../ui/parts.tsx';

const MIN_HEIGHT = 320;
const MAX_HEIGHT = 20_000;
const REFUSED = 'template, script, link, meta, base, iframe, object, embed, form';

/** E-mails have their styles in attributes. */
const STYLE = 'data-style';

/**
 * Shows HTML of others in a frame that runs no scripts and sends no forms. The console's Content-Security-Policy applies
 * inside, so nothing is loaded. It also forbids inline styles, so the report's CSS rules are extracted and adopted.
 */
function HtmlFrame({ html, title }: { html: string; title: string }) {
  const { text, sheets } = useMemo(() => withoutStyles(html), [html]);
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(MIN_HEIGHT);
  const ready = () => {
    const inside = frame.current?.contentDocument;
    if (!inside) return;
    applyStyles(inside, sheets);
    setHeight(Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, inside.documentElement.scrollHeight + 4)));
  };
  return (
    <iframe
      ref={frame}
      class="report-frame"
      title={title}
      // Same origin only so that we can access the document; without `allow-scripts` nothing in it runs.
      sandbox="allow-same-origin allow-popups"
      srcdoc={text}
      style={{ height: `${height}px` }}
      onLoad={ready}
    />
  );
}

/**
 * Removes elements that the frame would refuse and returns the CSS separately. Parsing a document runs nothing. A quote in
 * text is an entity, so that only attributes are renamed.
 */
function withoutStyles(html: string): { text: string; sheets: string[] } {
  const plain = html.replace(/<(\/?)style\b/gi, '<$1template').replace(/ style="/gi, ` ${STYLE}="`);
  const parsed = new DOMParser().parseFromString(plain, 'text/html');
  const sheets = [...parsed.querySelectorAll('template')].map(({ content }) => content.textContent ?? '');
  for (const element of parsed.querySelectorAll(REFUSED)) element.remove();
  return { text: `<!doctype html>${parsed.documentElement.outerHTML}`, sheets };
}

function applyStyles(inside: Document, sheets: string[]): void {
  const view = inside.defaultView as (Window & typeof globalThis) | null;
  if (!view) return;
  inside.adoptedStyleSheets = sheets.map((text) => {
    const sheet = new view.CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  for (const element of inside.querySelectorAll<HTMLElement>(`[${STYLE}]`))
    element.style.cssText = element.getAttribute(STYLE) ?? '';
  for (const link of inside.querySelectorAll<HTMLAnchorElement>('a[href]')) {
    if (link.getAttribute('href')?.startsWith('#')) continue;
    // Other schemes would open within the frame and be refused there.
    if (/^https?:$/.test(link.protocol)) {
      link.target = '_blank';
      link.rel = 'noopener noreferrer';
    } else link.removeAttribute('href');
  }
}

type File = AgentContract.ResultFile;
type Way = 'html' | 'markdown' | 'text';

const WAYS: Record<string, Way> = {
  'text/html': 'html',
  'text/markdown': 'markdown',
  'text/csv': 'text',
  'text/plain': 'text',
  'application/json': 'text',
};
const MAX_BYTES = 2_000_000;

const previewOf = ({ content_type, size_bytes }: File): Way | undefined =>
  size_bytes > MAX_BYTES ? undefined : WAYS[content_type.split(';')[0]?.trim() ?? ''];

type FileViewProps = { file: File; title?: string; onStale: () => void };

/** A file of a result on the screen: text as plain text, a report in a frame without scripts. */
export function FileView({ file, title = file.name, onStale }: FileViewProps) {
  const { data, fault, again } = useApiData(file.url, async (signal) =>
    (await download(file.url, { signal, maxBytes: MAX_BYTES })).text(),
  );
  const way = previewOf(file);
  if (fault) return <Fault fault={fault} onAgain={fault.code === 'NOT_FOUND' ? onStale : again} />;
  if (data === undefined) return <p class="muted">Loading…</p>;
  if (way === 'html') return <HtmlFrame html={data} title={title} />;
  if (way === 'markdown') return <Markdown text={data} />;
  return <Letters label={file.name} text={data} class="file-text letters" />;
}

export function ResultFiles({ files, onStale }: { files: File[]; onStale: () => void }) {
  const [open, setOpen] = useState<string>();
  const opened = files.find(({ name }) => name === open);
  return (
    <section class="card files">
      <h2>Files</h2>
      <ul>
        {files.map((file) => (
          <li key={file.name}>
            <span class="clip">{file.name}</span>
            <span class="muted small nowrap">{bytes(file.size_bytes)}</span>
            {previewOf(file) && (
              <button
                type="button"
                class="button"
                aria-expanded={open === file.name}
                onClick={() => setOpen(open === file.name ? undefined : file.name)}
              >
                {open === file.name ? 'Hide' : 'Look'}
              </button>
            )}
            <Download file={file} onStale={onStale} />
          </li>
        ))}
      </ul>
      {opened && <FileView key={opened.name} file={opened} onStale={onStale} />}
    </section>
  );
}

/** For the head of a long report, whose files are listed only below it. */
export const Downloads = ({ files, onStale }: { files: readonly File[]; onStale: () => void }) => (
  <div class="actions">
    {files.map((file) => (
      <Download key={file.name} file={file} onStale={onStale} label={`Download ${file.name}`} />
    ))}
  </div>
);

type DownloadProps = { file: File; onStale: () => void; label?: string };

function Download({ file: { url, name, expires_at }, onStale, label = 'Download' }: DownloadProps) {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return null;
  // A signed URL is valid for an hour; after that, the results are requested again.
  const isStale = Date.parse(expires_at) < Date.now();
  if (isStale) {
    return (
      <button type="button" class="button" onClick={onStale}>
        Download again
      </button>
    );
  }
  return (
    <a class="button" href={url} download={name} rel="noopener noreferrer">
      {label}
    </a>
  );
}
