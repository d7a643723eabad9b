/** Records a test's measurements for docs/evidence/proof.md. */
declare module 'vitest' {
  interface TaskMeta {
    figure?: string;
  }
}

export function proves(task: { meta: object }, figure: string): void {
  (task.meta as { figure?: string }).figure = figure;
}
