/** What a task was asked for, where this tab knows it. */
import { askedHere } from '../asked.ts';
import type { Fact } from '../form/asked-of.ts';

/** `isToldBelow`: results repeat the question, the documents or the readers. */
type Props = { taskId: string; isToldBelow?: boolean };

export function WhatWasAsked({ taskId, isToldBelow = false }: Props) {
  const { title = '', facts = [] } = askedHere(taskId) ?? {};
  const about = title ? 'As this tab remembers it, until you sign out.' : ELSEWHERE;
  if (facts.length === 0) return isToldBelow ? null : <p class="muted small">{about}</p>;
  return (
    <section class="card stack" aria-labelledby="what-was-asked">
      <h2 id="what-was-asked">What was asked</h2>
      {isNews(title, facts) && <p>{title}</p>}
      <dl class="pairs asked">
        {facts.map(([name, text], at) => (
          <div key={at}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <p class="muted small">{about}</p>
    </section>
  );
}

/** A title that was composed says more than the fields, such as when a mail goes where no time was given. */
const isNews = (title: string, facts: Fact[]): boolean =>
  title !== '' && !facts.some(([, text]) => text.startsWith(title.replace(/…$/, '')));

const ELSEWHERE =
  'This task was asked for elsewhere, or too long ago for this tab to know. The service tells what becomes of a task, not what it was asked.';
