/** Every accepted task, its observed states and webhooks, and contradictions between them. */
export type Receiving = 'steady' | 'stubborn' | 'absent';
export type Kept = { organization: number; face: 'files' | 'agents'; taskId: string; receiving: Receiving };
type Heard = { events: Set<string>; times: number; status: string };

export type Ledger = ReturnType<typeof ledger>;

export function ledger(now: () => number) {
  const tasks = new Map<string, Kept>();
  const heard = new Map<string, Heard>();
  const ends = new Map<string, string>();
  const broken: string[] = [];
  const reportedAt: number[] = [];

  return {
    tasks: tasks as ReadonlyMap<string, Kept>,
    broken,
    /** When the first webhook of each task came. */
    reportedAt: reportedAt as readonly number[],
    accepted(kept: Kept): void {
      if (tasks.has(kept.taskId)) broken.push(`${kept.taskId} was given out twice`);
      tasks.set(kept.taskId, kept);
    },
    /** A verified webhook. */
    told(taskId: string, event: string, status: string): void {
      const known = heard.get(taskId) ?? { events: new Set(), times: 0, status };
      heard.set(taskId, known);
      known.events.add(event);
      if (known.times++ === 0) reportedAt.push(now());
      if (known.status !== status) broken.push(`${taskId} was told to be ${known.status} and ${status}`);
    },
    /** The state that a call returned; `end` is absent while the task runs. */
    seen(taskId: string, end: string | undefined): void {
      const known = ends.get(taskId);
      if (known !== undefined && known !== end) broken.push(`${taskId} was ${known} and is ${end ?? 'open'}`);
      if (end !== undefined) ends.set(taskId, end);
    },
    /** Tasks whose webhook has not arrived yet. */
    missing: (): Kept[] =>
      [...tasks.values()].filter(({ taskId, receiving }) => receiving !== 'absent' && !heard.has(taskId)),
    endOf: (taskId: string) => ends.get(taskId),
    heardOf: (taskId: string) => heard.get(taskId),
    /** Counts over all observations. */
    sums: () => ({
      tasks: tasks.size,
      webhooks: [...heard.values()].reduce((sum, { times }) => sum + times, 0),
      repeated: [...heard.values()].filter(({ times }) => times > 1).length,
    }),
  };
}
