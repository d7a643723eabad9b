/** What is wider or longer than its place: it can be scrolled, by keys too. */
import type { ComponentChildren } from 'preact';

type ScrollProps = { label: string; class?: string; children: ComponentChildren };

export const Scroll = ({ label, class: name = 'wide-table', children }: ScrollProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: without it nobody scrolls by keys
  <section class={name} aria-label={label} tabIndex={0}>
    {children}
  </section>
);

export const Letters = ({ label, text, class: name = 'letters' }: { label: string; text: string; class?: string }) => (
  <Scroll label={label} class={name}>
    <pre>{text}</pre>
  </Scroll>
);
