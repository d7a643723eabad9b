/** Nothing here yet, and what to do next. */
import type { ComponentChildren } from 'preact';

export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
