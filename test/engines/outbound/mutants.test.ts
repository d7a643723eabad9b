import { describe, expect, it } from 'vitest';
import { CHECK_MUTANTS } from './check-mutants.ts';
import { CONNECTIONS } from './connections.scenarios.ts';
import { EGRESS_CASES } from './egress.ts';
import { wrongWith } from './egress-outcome.ts';
import { type Guard, guardIn, judgingIn } from './guard.ts';
import { HOSTILE } from './hostile.scenarios.ts';
import { wrongAnswers } from './judging.ts';
import { LIMIT_SCENARIOS } from './limits.scenarios.ts';
import { MESSAGES } from './messages.scenarios.ts';
import { asMutant, type Edit, GUARD, type Noticer } from './mutants.ts';
import { NAMES } from './names.scenarios.ts';
import { REDIRECTS } from './redirects.scenarios.ts';
import { ROW_MUTANTS } from './row-mutants.ts';
import type { Scenario } from './scenario.ts';
import { TLS } from './tls.scenarios.ts';

const PATIENCE_MS = 1000;
const LONG_MS = 10_000;

const late = (ms: number) =>
  new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('late')), ms).unref();
  });

/** A promise that is not kept in time counts as broken. */
async function brokenOf(scenarios: readonly Scenario[], guard: Guard, patienceMs: number): Promise<string | undefined> {
  for (const { promise, check } of scenarios) {
    const isKept = await Promise.race([check(guard), late(patienceMs)]).then(
      () => true,
      () => false,
    );
    if (!isKept) return promise;
  }
  return undefined;
}

const labelled: readonly Scenario[] = EGRESS_CASES.map((given) => ({
  promise: given.id,
  async check(guard) {
    expect(await wrongWith(guard, given)).toBeUndefined();
  },
}));

const PROMISES: Record<Exclude<Noticer, 'judging'>, readonly Scenario[]> = {
  connections: CONNECTIONS,
  redirects: REDIRECTS,
  messages: MESSAGES,
  limits: LIMIT_SCENARIOS,
  names: NAMES,
  tls: [...TLS, ...HOSTILE],
};

/** Names the first promise that the guard in that folder breaks. */
async function noticeMutant(folder: string, by: Noticer, patienceMs = PATIENCE_MS): Promise<string | undefined> {
  if (by === 'judging') return wrongAnswers(judgingIn(folder)).next().value ?? undefined;
  const promises = [...PROMISES[by], ...Object.values(PROMISES).flat(), ...labelled];
  return brokenOf([...new Set(promises)], guardIn(folder), patienceMs);
}

const named = (edit: Edit) => ({ ...edit, name: `${edit.file}: ${edit.find} -> ${edit.put || 'nothing'}` });

describe('no part of the guard is idle:', () => {
  it('the whole of it breaks no promise', async () => {
    expect(await noticeMutant(GUARD, 'judging', LONG_MS)).toBeUndefined();
    expect(await noticeMutant(GUARD, 'limits', LONG_MS)).toBeUndefined();
  }, 60_000);

  it.each([...ROW_MUTANTS, ...CHECK_MUTANTS].map(named))(
    '$name',
    async (edit) => {
      expect(await asMutant(edit, (folder) => noticeMutant(folder, edit.by))).toBeDefined();
    },
    30_000,
  );
});
