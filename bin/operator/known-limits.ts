/** Every limit an organization has, by name: an override of any other would do nothing. */
import { Problem } from '../../shared/core/problem.ts';
import type { Cap, Limit } from '../../shared/limits/rate-limit.ts';
import { SOCKETS } from '../../shared/realtime/connections.ts';
import { UNFINISHED_TASKS } from '../../shared/tasks/admission.ts';

type Known = Limit | Cap;

const CAPS: readonly Cap[] = [UNFINISHED_TASKS, SOCKETS];

export const isCap = (limit: Known): limit is Cap => 'most' in limit;

/** Of the product's routes. */
export async function knownRates(): Promise<Limit[]> {
  // The route tables load much that no other verb needs.
  const [{ filesAndTasks }, { agents }] = await Promise.all([
    import('../../functions/files-and-tasks/face.ts'),
    import('../../functions/agents/face.ts'),
  ]);
  const limits = [...filesAndTasks.routes, ...agents.routes].flatMap(({ limit }) => (limit ? [limit] : []));
  return [...new Map(limits.map((limit) => [limit.name, limit])).values()];
}

export async function knownLimits(): Promise<Map<string, Known>> {
  const limits: Known[] = [...(await knownRates()), ...CAPS];
  return new Map(limits.map((limit) => [limit.name, limit]));
}

export function knownLimit(known: Map<string, Known>, name: string): Known {
  const limit = known.get(name);
  if (limit) return limit;
  const shown = JSON.stringify(name.slice(0, 80));
  throw new Problem('notFound', `There is no limit ${shown}; there are ${[...known.keys()].join(', ')}.`);
}
