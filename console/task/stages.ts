/** The stages of a task in their order: those that are done, the one under way, those to come. */

export type ShownStage = { name: string; state: 'done' | 'now' | 'ahead' | 'left' };

/** `current_stage` is null for a task that is not under way. */
type Told = { current_stage: string | null; stages_completed: readonly string[] };

/** `known` are the stages of its agent; what the service tells counts, known or not. */
export function stagesOf(
  known: readonly string[],
  { current_stage: current, stages_completed: done }: Told,
  hasEnded: boolean,
): ShownStage[] {
  const told = [...done, ...(current !== null && !done.includes(current) ? [current] : [])];
  const names = [...told.filter((name) => !known.includes(name)), ...known];
  return names.map((name) => ({ name, state: stateOf(name) }));

  function stateOf(name: string): ShownStage['state'] {
    if (done.includes(name)) return 'done';
    if (hasEnded) return 'left';
    return name === current ? 'now' : 'ahead';
  }
}
