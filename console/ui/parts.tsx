/** Small parts of pages: the page with its heading, icons, times, tables of figures, and scrollable areas. */
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ago, count } from '../format.ts';
import { store } from '../store.ts';
import { sentence } from './fault.tsx';

const PATHS = {
  agents: 'M4 6h16M4 12h10M4 18h6',
  prompts: 'M4 5h16v11H9l-5 4z',
  files: 'M6 3h8l4 4v14H6zM14 3v4h4',
  hooks: 'M4 12h12M12 6l6 6-6 6M20 5v14',
  usage: 'M5 20V11M12 20V4M19 20v-6',
  mail: 'M3 6h18v12H3zM3 7l9 7 9-7',
  plus: 'M12 5v14M5 12h14',
  out: 'M14 4h6v16h-6M3 12h11M10 8l4 4-4 4',
} as const;

export type IconName = keyof typeof PATHS;

/** Small icons beside words; they add no information. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

const EVERY_MS = 20_000;
const now = store(Date.now());
setInterval(() => now.set(Date.now()), EVERY_MS);

/**
 * How long ago a time was, with the exact time on hover. `isPlanned`: the time is in the future, so a small difference is
 * not a clock difference.
 */
export function Time({ at, isPlanned = false }: { at: string | null | undefined; isPlanned?: boolean }) {
  const [seenAt, setSeenAt] = useState(Date.now());
  useEffect(() => now.subscribe(() => setSeenAt(now.get())), []);
  if (!at) return <>—</>;
  return (
    <time dateTime={at} title={`${at.slice(0, 19).replace('T', ' ')} UTC`}>
      {ago(at, seenAt, isPlanned)}
    </time>
  );
}

type ScrollProps = { label: string; class?: string; children: ComponentChildren };

/** An area that scrolls when its content is larger, by keyboard too. */
export const Scroll = ({ label, class: name = 'wide-table', children }: ScrollProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard cannot scroll
  <section class={name} aria-label={label} tabIndex={0}>
    {children}
  </section>
);

export const Letters = ({ label, text, class: name = 'letters' }: { label: string; text: string; class?: string }) => (
  <Scroll label={label} class={name}>
    <pre>{text}</pre>
  </Scroll>
);

type Row = { name: string; values: readonly (number | null)[] };
type Props = { label: string; head: ComponentChildren; labels: readonly string[]; series: readonly Row[] };

const figure = (value: number | null | undefined): string =>
  value === null || value === undefined ? '—' : count(value);

/** The figures of a chart, for screen readers. */
export const FiguresTable = ({ label, head, labels, series }: Props) => (
  <Scroll label={label}>
    <table>
      <thead>
        <tr>
          <th scope="col">{head}</th>
          {series.map(({ name }) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {labels.map((at, index) => (
          <tr key={at}>
            <th scope="row">{at}</th>
            {series.map(({ name, values }) => (
              <td key={name}>{figure(values[index])}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
);

/** The current width of an element in pixels. */
export function useWidth<T extends Element>(initialWidth: number): { box: RefObject<T | null>; width: number } {
  const box = useRef<T>(null);
  const [width, setWidth] = useState(initialWidth);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => setWidth(Math.round(element.getBoundingClientRect().width) || initialWidth);
    const watcher = new ResizeObserver(look);
    look();
    watcher.observe(element);
    return () => watcher.disconnect();
  }, [initialWidth]);
  return { box, width };
}

/** Whether this is the first page since the tab was opened. */
let isFirst = true;

export const isFirstPage = (): boolean => isFirst;
export const leaveFirstPage = (): void => {
  isFirst = false;
};

type PageProps = {
  title: string;
  /** The position within the page, such as a page of its list. */
  at?: string;
  about?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
};

/** A page with its heading, which screen readers announce on arrival, its actions and its content. */
export function Page({ title, at = '', about, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    document.title = `${title} · Errand`;
  }, [title]);
  useLayoutEffect(() => {
    // A screen reader follows the focus; the first page starts at the top by itself.
    if (isFirstPage()) return;
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [at]);
  return (
    <>
      <header class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {about && <p class="muted">{about}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

/** A card that shows its heading, and its content once it is opened. */
export function Folded({ title, children }: { title: string; children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="card group" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>{title}</h2>
      </summary>
      {isOpen && <div class="stack">{children}</div>}
    </details>
  );
}

/** Options that the service ignored or could not apply; each warning is shown once. */
export function Warnings({ warnings = [] }: { warnings?: readonly string[] | undefined }) {
  if (warnings.length === 0) return null;
  return (
    <section class="notice" aria-label="Warnings">
      <p>
        <strong>Warnings</strong>
      </p>
      <ul>
        {[...new Set(warnings)].map((warning) => (
          <li key={warning}>{sentence(warning)}</li>
        ))}
      </ul>
    </section>
  );
}
