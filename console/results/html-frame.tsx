/**
 * HTML that somebody else wrote, in a frame that runs no program and sends no form; the console's own policy holds inside
 * it, so nothing is loaded. That policy forbids styles in HTML, too: the report's rules are taken out and set by us.
 */
import { useMemo, useRef, useState } from 'preact/hooks';

const LEAST_HEIGHT = 320;
const MOST_HEIGHT = 20_000;
const REFUSED = 'template, script, link, meta, base, iframe, object, embed, form';

export function HtmlFrame({ html, title }: { html: string; title: string }) {
  const { text, sheets } = useMemo(() => undressed(html), [html]);
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(LEAST_HEIGHT);
  const ready = () => {
    const inside = frame.current?.contentDocument;
    if (!inside) return;
    dress(inside, sheets);
    setHeight(Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, inside.documentElement.scrollHeight + 4)));
  };
  return (
    <iframe
      ref={frame}
      class="report-frame"
      title={title}
      // Of our own origin only so that we may reach in; without `allow-scripts` nothing in there runs.
      sandbox="allow-same-origin allow-popups"
      srcdoc={text}
      style={{ height: `${height}px` }}
      onLoad={ready}
    />
  );
}

/** Without what the frame would refuse. Nothing runs in a document that is only parsed; its rules are kept aside. */
function undressed(html: string): { text: string; sheets: string[] } {
  const parsed = new DOMParser().parseFromString(html.replace(/<(\/?)style\b/gi, '<$1template'), 'text/html');
  const sheets = [...parsed.querySelectorAll('template')].map(({ content }) => content.textContent ?? '');
  for (const element of parsed.querySelectorAll(REFUSED)) element.remove();
  return { text: `<!doctype html>${parsed.documentElement.outerHTML}`, sheets };
}

function dress(inside: Document, sheets: string[]): void {
  const view = inside.defaultView as (Window & typeof globalThis) | null;
  if (!view) return;
  inside.adoptedStyleSheets = sheets.map((text) => {
    const sheet = new view.CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  for (const link of inside.querySelectorAll<HTMLAnchorElement>('a[href]')) {
    if (link.getAttribute('href')?.startsWith('#')) continue;
    // Anything else would be opened within the frame, and refused there.
    if (/^https?:$/.test(link.protocol)) {
      link.target = '_blank';
      link.rel = 'noopener noreferrer';
    } else link.removeAttribute('href');
  }
}
