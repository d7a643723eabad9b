/** What a task was submitted with: as this tab remembers it, in the words of its form, else as the service tells it. */
import { askedHere } from '../asked.ts';
import type { AskedHere, Fact } from '../form/asked-of.ts';
import { Fault } from '../ui/fault.tsx';
import { useAsked } from '../use-asked.ts';

type Props = { taskId: string; load(signal: AbortSignal): Promise<AskedHere> };

export function WhatWasAsked({ taskId, load }: Props) {
  const remembered = askedHere(taskId);
  const { data, fault } = useAsked(taskId, async (signal) => (remembered?.title ? remembered : load(signal)));
  if (fault) return <Fault fault={fault} />;
  if (!data) return null;
  const facts = data === remembered ? data.facts : [...data.facts, ...(remembered?.facts ?? [])];
  return (
    <section class="card stack" aria-labelledby="what-was-asked">
      <h2 id="what-was-asked">What was asked</h2>
      {isNews(data.title, facts) && <p>{data.title}</p>}
      <dl class="pairs asked">
        {facts.map(([name, text], at) => (
          <div key={at}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** A title that was composed says more than the fields, such as when a mail goes where no time was given. */
const isNews = (title: string, facts: Fact[]): boolean =>
  title !== '' && !facts.some(([, text]) => text.startsWith(title.replace(/…$/, '')));
