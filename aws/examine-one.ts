/** One thing that is looked over, and what was found. */

/** `wrong` has to be mended; `look` is for somebody to judge. */
export type CheckResult = { check: string; state: 'ok' | 'look' | 'wrong'; detail: string };

export type CheckVerdict = Omit<CheckResult, 'check'>;

export const ok = (detail: string): CheckVerdict => ({ state: 'ok', detail });
export const wrong = (detail: string): CheckVerdict => ({ state: 'wrong', detail });

/** What cannot be asked is wrong, with the reason in one line. */
export async function checked(check: string, look: () => Promise<CheckVerdict>): Promise<CheckResult> {
  try {
    return { check, ...(await look()) };
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : 'no answer';
    return { check, state: 'wrong', detail: reason.split('\n', 1)[0] ?? '' };
  }
}
