/** The state of a task: a word, and a colour that says the same. */

const TONES: Record<string, string> = {
  pending: 'wait',
  accepted: 'wait',
  waiting: 'wait',
  processing: 'work',
  active: 'work',
  cancelling: 'warn',
  completed: 'good',
  success: 'good',
  delivered: 'good',
  failed: 'bad',
  failure: 'bad',
  exhausted: 'bad',
  cancelled: 'calm',
};

export const Badge = ({ state }: { state: string }) => <span class={`badge ${TONES[state] ?? 'calm'}`}>{state}</span>;
