/** A page: its heading, its actions and its content. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Whether the page that appears is the first one since the tab was opened. */
let isFirst = true;

export const isFirstPage = (): boolean => isFirst;
export const arrived = (): void => {
  isFirst = false;
};

/** A page: its heading, which screen readers announce on arrival, its actions and its content. */
type Props = {
  title: string;
  /** Where in the page one is, such as a page of its list. */
  at?: string;
  about?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
};

export function Page({ title, at = '', about, actions, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    document.title = `${title} · Errand`;
  }, [title]);
  useLayoutEffect(() => {
    // A screen reader follows the focus; the first page of all begins at the top by itself.
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
