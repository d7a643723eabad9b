/** What may be wider or longer than its place: scrolled by hand, and with the keys. */
import type { ComponentChildren } from 'preact';

export const Scrolled = ({ label, children }: { label: string; children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keys cannot scroll it
  <section class="scrolled" tabIndex={0} aria-label={label}>
    {children}
  </section>
);
