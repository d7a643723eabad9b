/** Equivalent mutants, by file, with the reason. A mutant that a test notices does not belong here. */
const TYPE_ONLY = 'the type asks for it; it is never undefined there';
const NO_COMPARISON = 'no comparison with undefined holds, so the answer below is the same';

export const IDLE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'decide.ts': {
    "const hint: Effect[] = delivery && run ? [{ do: 'hintSender', delaySeconds: 0, run: run.number }] : [];: delivery && run -> delivery":
      'what was set apart has a number',
    'return toQueued({ ...task, failures }, { how: code, delayMs: backoffMs[failures - 1] ?? 0 }, now);: backoffMs[failures - 1] ?? 0 -> backoffMs[failures - 1]':
      TYPE_ONLY,
    'return toQueued({ ...task, failures }, { how: code, delayMs: backoffMs[failures - 1] ?? 0 }, now);: 0 -> 1':
      TYPE_ONLY,
    'const isLapsed = ({ leaseUntil = 0 }: Task, now: number): boolean => now >= leaseUntil;: 0 -> 1':
      'what runs has a lease',
    'cancelAt !== undefined && now >= cancelAt + cancelGraceMs;: cancelAt !== undefined && now >= cancelAt + cancelGraceMs -> now >= cancelAt + cancelGraceMs':
      'no moment is at or after undefined + 60 s',
    'const hintWait = (hints: number): number => hintAfterMs[Math.min(hints, hintAfterMs.length - 1)] ?? 0;: hintAfterMs[Math.min(hints, hintAfterMs.length - 1)] ?? 0 -> hintAfterMs[Math.min(hints, hintAfterMs.length - 1)]':
      TYPE_ONLY,
    'const hintWait = (hints: number): number => hintAfterMs[Math.min(hints, hintAfterMs.length - 1)] ?? 0;: 0 -> 1':
      TYPE_ONLY,
    "const next = task.state === 'running' ? (task.leaseUntil ?? 0) : task.hintAt;: task.leaseUntil ?? 0 -> task.leaseUntil":
      'what runs has a lease',
    "const next = task.state === 'running' ? (task.leaseUntil ?? 0) : task.hintAt;: 0 -> 1": 'what runs has a lease',
    'if (wakeBy === undefined || heldDueAt === undefined || heldDueAt <= now) return wakeBy;: wakeBy === undefined || heldDueAt === undefined -> heldDueAt === undefined':
      NO_COMPARISON,
    'if (wakeBy === undefined || heldDueAt === undefined || heldDueAt <= now) return wakeBy;: wakeBy === undefined || heldDueAt === undefined -> wakeBy === undefined':
      NO_COMPARISON,
    'if (wakeBy === undefined || heldDueAt === undefined || heldDueAt <= now) return wakeBy;: wakeBy === undefined || heldDueAt === undefined || heldDueAt <= now -> heldDueAt <= now':
      NO_COMPARISON,
    'return heldDueAt <= wakeBy && wakeBy - heldDueAt <= MAX_EARLY_MS ? heldDueAt : wakeBy;: <= -> <':
      'when both are the same moment, either is the answer',
  },
  'decide-delivery.ts': {
    'const isDeliveryLapsed = ({ state, leaseUntil = 0 }: TaskDelivery, now: number): boolean =>: 0 -> 1':
      'what is being sent has a lease',
  },
  'transition.ts': {
    "moveTask(ports, address, { type: 'tick' }, { cachedRow: row }).catch(() => undefined);: type: 'tick' -> ...{}":
      'whatever happens next sets the run apart',
    "if ('contended' in updated || !decision): 'contended' in updated || !decision -> 'contended' in updated":
      TYPE_ONLY,
  },
};
