/** What a task was asked to be, and what it took. */
import type { AgentContract } from '../../client/src/index.ts';
import { count, exactTime } from '../format.ts';

export function TaskFacts({ task }: { task: AgentContract.TaskStatus }) {
  const { input_tokens: input, output_tokens: output, model } = task.usage;
  const facts: [string, string][] = [
    ['Priority', String(task.priority)],
    ['Created', exactTime(task.created_at)],
    ['Started', exactTime(task.started_at)],
    ['Ended', exactTime(task.completed_at)],
    ['Model', model ?? '—'],
    ['Tokens', `${count(input)} in, ${count(output)} out`],
    ['Webhook', task.webhook_configured ? 'yes' : 'no'],
    ...Object.entries(task.metadata),
  ];
  return (
    <section class="card">
      <h2>About this task</h2>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
